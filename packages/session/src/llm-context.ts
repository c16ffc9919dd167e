import { sliceState, type Message, type Originator, type Part, type SessionState } from '@cool-ai/beach-core'
import { wantsLlmContext, type LlmContextTranslator } from '@cool-ai/beach-protocol'
import { deliverySlice } from './delivery/delivery-slice.ts'

/** The translation for peers' models: only when one of them asked, and the actor has not written it itself. */
export async function llmContext(
  said: readonly Part[],
  state: SessionState,
  turn: { readonly turnId: string; readonly messages: readonly Message[]; readonly signal: AbortSignal },
  translator: LlmContextTranslator | undefined,
): Promise<Part[]> {
  if (translator === undefined || !wantsLlmContext(listeners(state, turn.messages))) return []
  if (said.some((part) => part.metadata.partType === 'llm-context')) return []
  const text = await translator.translate({ turnId: turn.turnId, parts: said }, turn.signal)
  return text === undefined ? [] : [{ text, metadata: { partType: 'llm-context' } }]
}

/** Those whom the turn answers, and those who listen to everything. */
function listeners(state: SessionState, messages: readonly Message[]): Originator[] {
  const { originators } = sliceState(deliverySlice, state)
  const joined = Object.values(originators).flatMap(({ originator, listens }) => (listens ? (originator ?? []) : []))
  return [...messages.map((message) => message.from), ...joined]
}
