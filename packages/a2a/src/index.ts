export { a2aChannel, type A2aOptions, type ExtendedCard } from './server/a2a-channel.ts'
export { a2aPreview } from './server/a2a-preview.ts'
