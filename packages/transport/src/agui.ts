/** @deprecated Import from `@cool-ai/beach-agui`. */
export * from '@cool-ai/beach-agui'
