/** @deprecated Import from `@cool-ai/beach-email`. */
export * from '@cool-ai/beach-email'
