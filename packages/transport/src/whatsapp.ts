/** @deprecated Import from `@cool-ai/beach-phones`. */
export * from '@cool-ai/beach-phones'
