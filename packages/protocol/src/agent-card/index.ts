export { AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill } from '@a2a-js/sdk'
export { a2uiExtensions, a2uiExtensionUris, cardCatalogs } from './a2ui-extension.ts'
export { authoredCardSchema, type AgentCardInput, type CardAuth } from './authored-card.ts'
export { BEACH_EXTENSION_URI, beachExtensionSchema, type AgentCardBeachExtension } from './beach-extension.ts'
export { buildAgentCard, type BuildAgentCardOptions } from './build-agent-card.ts'
export { agentCardToJson, type AgentCardJson } from './card-json.ts'
export type { WellKnownAgentCardOptions } from './card-answer.ts'
export type { CardProblem } from './card-problems.ts'
export type { CardRegistries } from './card-registries.ts'
export { readAgentCard, type CardCapability, type ReadAgentCard } from './read-agent-card.ts'
export type { CardTransport } from './read-transports.ts'
export { signAgentCard, signatureHeader, type CardSigner, signatureAlgorithms } from './sign-agent-card.ts'
export type { A2aCardOptions } from './to-a2a-card.ts'
export { validateAgentCard } from './validate-agent-card.ts'
export {
  verifyAgentCard,
  type SignatureRefusal,
  type TrustedKeys,
  type VerifiedSignature,
  type VerifyAgentCardOptions,
} from './verify-agent-card.ts'
export { wellKnownAgentCard, type WellKnownAgentCard } from './well-known-agent-card.ts'
