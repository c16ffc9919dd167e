import { defined } from '@cool-ai/beach-core/runtime'
import { checkHops, fromMessageMetadata, toMessageMetadata } from '@cool-ai/beach-channel/peers'
import type { Caller } from './caller.ts'

/** The key of `_meta` that names the conversation a tool is called in; results name theirs by it. */
export const conversationKey = 'cool-ai.beach/conversationId'
/** The key of a result's `_meta` with what the app shows of a tool's call; the app knows it by the same name. */
export const shownKey = 'cool-ai.beach/shown'
/** The key of `_meta` with the ids of the agents that a request has come through, the first one first. */
export const hopsKey = 'cool-ai.beach/hops'
/** The key of a failed call's `_meta` with the id of its error. */
export const errorIdKey = 'cool-ai.beach/errorId'
/** The key of `_meta` with the part types that a caller understands; they count for nothing without its card. */
export const consumesKey = 'cool-ai.beach/consumes'
/** The key of `_meta` with the address of the caller's Agent Card. */
export const cardKey = 'cool-ai.beach/card'
/** The key of `_meta` with the data of the surfaces that ask for it, as A2UI has it. */
export const dataModelKey = 'cool-ai.beach/a2uiClientDataModel'

/** The caller with what its request says of it; refuses a request that goes round in a circle. */
export function withRequestMeta(
  caller: Caller,
  meta: Readonly<Record<string, unknown>> | undefined,
  agentId: string,
): Caller {
  if (meta?.[hopsKey] === undefined && meta?.[cardKey] === undefined) return caller
  // The same rules as for A2A, whose keys have another form.
  const said = toMessageMetadata({ hops: meta[hopsKey] as string[], card: meta[cardKey] as string })
  const { card } = fromMessageMetadata(said)
  return { ...caller, via: checkHops(said, agentId), ...defined({ card }) }
}
