/** @deprecated Import from `@cool-ai/beach-hooks`. */
export * from '@cool-ai/beach-hooks'
