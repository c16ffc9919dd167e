import type { Slice } from '@cool-ai/beach-core'
import type { EventDraft, SessionState } from '@cool-ai/beach-core/log'
import { sliceState } from '@cool-ai/beach-core/log'
import type { ClientOffer } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'

/** Where something that a client offers is in the log, and by what it is known when it comes again. */
interface OfferPlace {
  readonly seq: number
  readonly hash: string
}

interface OfferEntry {
  readonly tools?: OfferPlace
  readonly state?: OfferPlace
}

/** What the clients of a session offer, by originator: the content is in the log. */
type ClientsState = Readonly<Record<string, OfferEntry>>

/** Those that offered something last: a session has few at a time. */
const maxClients = 50

export const clientSlice: Slice<ClientsState> = {
  ns: 'clients',
  version: 1,
  initial: {},
  folds: ['clientOffered', 'originatorLeft'],
  fold(state, event, seq) {
    switch (event.type) {
      case 'clientOffered': {
        const { originatorId, payload = {} } = event
        const { [originatorId]: before, ...others } = state
        const { tools, state: shown } = payload
        const entry: OfferEntry = {
          ...before,
          ...(tools && { tools: { seq, hash: tools.hash } }),
          ...(shown && { state: { seq, hash: shown.hash } }),
        }
        return Object.fromEntries([...Object.entries(others).slice(1 - maxClients), [originatorId, entry]])
      }
      case 'originatorLeft': {
        const { [event.originatorId]: _, ...others } = state
        return others
      }
      default:
        return state
    }
  },
}

/** The event that puts an offer on record; none when nothing of it is new. */
export function offerDrafts(state: SessionState, originatorId: string, offer: ClientOffer): EventDraft[] {
  const before = sliceState(clientSlice, state)[originatorId]
  const { tools: offered, timeoutMs, state: value } = offer
  const tools = defined({ hash: contentHash([offered, timeoutMs]), offered, timeoutMs })
  const shown = defined({ hash: contentHash(value ?? null), value })
  const isSame = {
    // A client offers nothing at first.
    tools: before?.tools === undefined ? offered.length === 0 : before.tools.hash === tools.hash,
    state: before?.state === undefined ? value === undefined : before.state.hash === shown.hash,
  }
  if (isSame.tools && isSame.state) return []
  const payload = { ...(!isSame.tools && { tools }), ...(!isSame.state && { state: shown }) }
  return [{ type: 'clientOffered', originatorId, payload }]
}
