/** @deprecated Import from `@cool-ai/beach-web`. */
export * from '@cool-ai/beach-web'
