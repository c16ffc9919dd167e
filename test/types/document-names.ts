// The names that the documents give to types, and the packages that they say have them.
import type { LLMHandlerConfig } from '@cool-ai/beach-llm'
import type { ArtifactStore } from '@cool-ai/beach-missives'
import type { AgentResponseEnvelope, Message, Part, SetStatePart } from '@cool-ai/beach-protocol'

export const strategy: LLMHandlerConfig['domainDataMergeStrategy'] = 'deep-merge'
export const part: Part = { text: 'Hello.', metadata: { partType: 'response' } }
export const message: Message = { role: 'user', parts: [part] }
export const asMessage = (envelope: AgentResponseEnvelope): Message => envelope
export const patch: SetStatePart = { partType: 'setState', data: { 'booking.phase': 'open' } }
export type Puts = ArtifactStore['put']
