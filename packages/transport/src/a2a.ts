/** @deprecated Import from `@cool-ai/beach-a2a`. */
export * from '@cool-ai/beach-a2a'
