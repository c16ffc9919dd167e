/*
 * An Agent Card as its author writes it, made into an A2A card. Without the A2A SDK, which is loaded when a card is read
 * or published.
 */
export { a2uiExtensions } from './agent-card/a2ui-extension.ts'
export type { AgentCardInput } from './agent-card/authored-card.ts'
export { buildAgentCard, type BuildAgentCardOptions } from './agent-card/build-agent-card.ts'
export type { CardRegistries } from './agent-card/card-registries.ts'
export type { AgentCard, AgentExtension } from '@a2a-js/sdk'
