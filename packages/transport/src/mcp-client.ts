/** @deprecated Import from `@cool-ai/beach-mcp/client`. */
export * from '@cool-ai/beach-mcp/client'
