import type { Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { OfferedList } from './choices.ts'

/** A request for an approval that was sent to a person. */
export interface Ask {
  readonly approvalId: string
  readonly session: string
  /** Who decides when this person answers. */
  readonly principal: Principal
  readonly title: string
  /** Until when it can be answered here. */
  readonly until?: number
  /** How often it was sent: each time has its own code. */
  readonly issue: number
  /** The messages that contained it, by the ids that the service gave them. */
  readonly messageIds: readonly string[]
  /** Wrong codes since it was sent. */
  readonly wrong: number
  readonly unclear: number
}

/** The status of a message of ours, as the service reports it. */
export interface MessageState {
  readonly messageId: string
  readonly status: DeliveryStatus
  readonly at: number
  /** Why it failed, as a code of the other side. */
  readonly code?: string
}

/** How far a message to a phone has come. */
export type DeliveryStatus = 'sent' | 'delivered' | 'read' | 'failed'

/** One push, which may be several messages. */
interface Progress {
  readonly key: string
  /** Its session; replies to it are for that one. */
  readonly session?: string
  /** The ids of those messages that were sent, by their names. */
  readonly sent: Readonly<Record<string, string>>
  /** The message that was tried last, and when first: if it is not among the sent ones, its outcome is unknown. */
  readonly trying?: { readonly name: string; readonly at: number; readonly approvalId?: string }
}

/** The choices of a push: a number in a later message is one of them. */
export interface SentList extends OfferedList {
  /** The push. */
  readonly key: string
  readonly session: string
  /** The messages of the push that were sent. */
  readonly messageIds: readonly string[]
}

interface Came {
  readonly id: string
  readonly session: string
  readonly done: boolean
  /** True when it decides something that was undecided when it came. */
  readonly decides?: boolean
}

/** What a channel remembers of a person: no words of theirs, and none of ours. */
export interface PersonState {
  /** The current conversation, and its owner. */
  readonly current?: { readonly ordinal: number; readonly session: string; readonly owner: string }
  readonly lastCameAt?: number
  /** The session of their last message, in or out, on this channel. */
  readonly latest?: { readonly session: string; readonly at: number }
  readonly came: readonly Came[]
  readonly asks: readonly Ask[]
  readonly progress: readonly Progress[]
  readonly states: readonly MessageState[]
  /** What they could choose last, the newest last. */
  readonly lists?: readonly SentList[]
  /** They want no messages. */
  readonly stopped: boolean
  /** How many conversations they had before they were forgotten: none of those is continued. */
  readonly ended?: number
}

/** What happened with a person or in a thread, as the record of it has it. */
export type PersonEvent =
  | { readonly type: 'began'; readonly ordinal: number; readonly session: string; readonly owner: string }
  | {
      readonly type: 'came'
      readonly id: string
      readonly session: string
      readonly at: number
      readonly decides?: boolean
    }
  | { readonly type: 'done'; readonly id: string }
  | {
      readonly type: 'trying'
      readonly key: string
      readonly name: string
      readonly at: number
      readonly session?: string
      readonly ask?: AskPut
      readonly list?: OfferedList
    }
  | { readonly type: 'sent'; readonly key: string; readonly name: string; readonly messageId: string }
  | { readonly type: 'notSent'; readonly key: string; readonly name: string }
  | { readonly type: 'unclear' | 'wrong'; readonly approvalIds: readonly string[] }
  | ({ readonly type: 'status' } & MessageState)
  | { readonly type: 'stopped'; readonly stopped: boolean }
  | { readonly type: 'forgotten'; readonly ended: number }

/** A request that is being sent. */
export type AskPut = Pick<Ask, 'approvalId' | 'session' | 'principal' | 'title' | 'until' | 'issue'>

export const emptyPersonState: PersonState = { came: [], asks: [], progress: [], states: [], stopped: false }

const max = { came: 200, asks: 50, progress: 50, states: 100, lists: 20 }
const rank: Readonly<Record<DeliveryStatus, number>> = { sent: 0, delivered: 1, read: 2, failed: 3 }

/** How many conversations they have had. */
export function conversationCount({ current, ended = 0 }: PersonState): number {
  return current?.ordinal ?? ended
}

/** The state after an event. */
export function foldPerson(state: PersonState, event: PersonEvent): PersonState {
  switch (event.type) {
    case 'began': {
      const { ordinal, session, owner } = event
      return { ...state, current: { ordinal, session, owner } }
    }
    case 'came': {
      const { id, session, decides } = event
      const entry = defined({ id, session, done: false, decides })
      const came = [...state.came, entry].slice(-max.came)
      const latest = session === '' ? state.latest : { session, at: event.at }
      return defined({ ...state, came, lastCameAt: Math.max(state.lastCameAt ?? 0, event.at), latest })
    }
    case 'done':
      return { ...state, came: state.came.map((entry) => (entry.id === event.id ? { ...entry, done: true } : entry)) }
    case 'trying':
      return tried(state, event)
    case 'sent':
      return sent(state, event)
    case 'notSent':
      return notSent(state, event)
    case 'unclear':
    case 'wrong':
      return counted(state, event)
    case 'status':
      return withStatus(state, event)
    case 'stopped':
      return { ...state, stopped: event.stopped }
    case 'forgotten':
      return { ...emptyPersonState, ended: event.ended }
  }
}

type Of<Type extends PersonEvent['type']> = Extract<PersonEvent, { type: Type }>

function tried(state: PersonState, { key, name, at, session, ask, list }: Of<'trying'>): PersonState {
  const before: Progress = state.progress.find((entry) => entry.key === key) ?? { key, sent: {} }
  // An interrupted try may have been sent, and is looked for from then on.
  const since = before.trying?.name === name ? before.trying.at : at
  const trying = defined({ name, at: since, approvalId: ask?.approvalId })
  const others = state.progress.filter((entry) => entry.key !== key)
  const entry = defined({ ...before, session: session ?? before.session, trying })
  const progress = [...others, entry].slice(-max.progress)
  const after = { ...state, progress, asks: ask ? withAsk(state.asks, ask) : state.asks }
  return list === undefined || session === undefined
    ? after
    : { ...after, lists: withList(state, { ...list, key, session }) }
}

function withList({ lists = [] }: PersonState, list: Omit<SentList, 'messageIds'>): readonly SentList[] {
  if (lists.some(({ key }) => key === list.key)) return lists
  return [...lists, { ...list, messageIds: [] }].slice(-max.lists)
}

/** The choices that a message refers to: those of the message that it replies to, else the last ones of its session. */
export function listFor(
  { lists = [] }: PersonState,
  { session, repliesTo }: { readonly session: string; readonly repliesTo?: string | undefined },
): SentList | undefined {
  return lists.findLast((list) => {
    if (list.session !== session) return false
    return repliesTo === undefined ? list.messageIds.length > 0 : list.messageIds.includes(repliesTo)
  })
}

/** Sent again it counts anew, but the earlier messages can still be answered. */
function withAsk(asks: readonly Ask[], put: AskPut): readonly Ask[] {
  const isSame = (ask: Ask) => {
    return ask.approvalId === put.approvalId && principalKey(ask.principal) === principalKey(put.principal)
  }
  const before = asks.find((ask) => isSame(ask))
  if (before?.issue === put.issue) return asks
  const { messageIds = [], unclear = 0 } = before ?? {}
  return [...asks.filter((ask) => !isSame(ask)), { ...put, messageIds, unclear, wrong: 0 }].slice(-max.asks)
}

function sent(state: PersonState, { key, name, messageId }: Of<'sent'>): PersonState {
  const found = state.progress.find((entry) => entry.key === key)
  if (found === undefined || Object.hasOwn(found.sent, name)) return state
  const approvalId = found.trying?.name === name ? found.trying.approvalId : undefined
  const progress = state.progress.map((entry) => {
    return entry === found ? { ...entry, sent: { ...entry.sent, [name]: messageId } } : entry
  })
  const { session, trying } = found
  const latest = session === undefined || trying === undefined ? state.latest : { session, at: trying.at }
  const lists = state.lists?.map((list) => {
    return list.key === key ? { ...list, messageIds: [...list.messageIds, messageId] } : list
  })
  const after = defined({ ...state, progress, latest, lists })
  if (approvalId === undefined) return after
  const asks = state.asks.map((ask) => {
    const isIts = ask.approvalId === approvalId && !ask.messageIds.includes(messageId)
    return isIts ? { ...ask, messageIds: [...ask.messageIds, messageId] } : ask
  })
  return { ...after, asks }
}

/** It is known that it was not sent: the next attempt need not ask for its outcome. */
function notSent(state: PersonState, { key, name }: Of<'notSent'>): PersonState {
  const progress = state.progress.map((entry) => {
    if (entry.key !== key || entry.trying?.name !== name) return entry
    const { trying: _, ...rest } = entry
    return rest
  })
  return { ...state, progress }
}

function counted(state: PersonState, { type, approvalIds }: Of<'unclear' | 'wrong'>): PersonState {
  const asks = state.asks.map((ask) => (approvalIds.includes(ask.approvalId) ? { ...ask, [type]: ask[type] + 1 } : ask))
  return { ...state, asks }
}

/** Status reports arrive in any order: only progress counts. */
function withStatus(state: PersonState, { type: _, ...status }: Of<'status'>): PersonState {
  const before = state.states.find(({ messageId }) => messageId === status.messageId)
  if (before !== undefined && rank[before.status] >= rank[status.status]) return state
  const others = state.states.filter((entry) => entry !== before)
  return { ...state, states: [...others, status].slice(-max.states) }
}
