/** @deprecated Import from `@cool-ai/beach-channel/auth`. */
export * from '@cool-ai/beach-channel/auth'
