import type { Originator, Part } from '@cool-ai/beach-core'
import { sliceState, type SessionState } from '@cool-ai/beach-core/log'
import { wantsLlmContext, type LlmContextTranslator } from '@cool-ai/beach-protocol'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { turnSlice } from './turn-slice.ts'

/** The translation for peers' models: only when one of them asked, and the actor has not written it itself. */
export async function llmContext(
  said: readonly Part[],
  state: SessionState,
  turn: { readonly turnId: string; readonly signal: AbortSignal },
  translator: LlmContextTranslator,
): Promise<Part[]> {
  if (!wantsLlmContext(listeners(state))) return []
  if (said.some((part) => part.metadata.partType === 'llm-context')) return []
  const text = await translator.translate({ turnId: turn.turnId, parts: said }, turn.signal)
  return text === undefined ? [] : [{ text, metadata: { partType: 'llm-context' } }]
}

/** The originators that the turn answers, and those that get everything. */
function listeners(state: SessionState): Originator[] {
  const { originators } = sliceState(deliverySlice, state)
  const answered = sliceState(turnSlice, state).turn?.originators ?? []
  return Object.entries(originators).flatMap(([id, { originator, listens }]) => {
    return listens || answered.includes(id) ? (originator ?? []) : []
  })
}
