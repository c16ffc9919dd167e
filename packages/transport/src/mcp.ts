/** @deprecated Import from `@cool-ai/beach-mcp`. */
export * from '@cool-ai/beach-mcp'
