import { isDeepStrictEqual } from 'node:util'
import type { Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import type { Ledger } from './actors.ts'
import { deliveryProblems } from './delivery-checks.ts'
import { manifestProblems } from './manifest-checks.ts'
import type { Postbox } from './postbox.ts'

/** What is known from outside: messages that were acknowledged, decisions that were confirmed, what viewers saw. */
export interface Outside {
  readonly acknowledged: ReadonlyMap<string, string>
  readonly sent: ReadonlyMap<string, string>
  readonly confirmed: readonly string[]
  readonly viewers: ReadonlyMap<string, EnvelopeStream>
  readonly postbox: Postbox
}

/** What is wrong after a run, one sentence each; nothing when every promise was kept. */
export async function problemsOf(
  store: Store,
  sessions: readonly string[],
  outside: Outside,
  ledger: Ledger,
): Promise<string[]> {
  const problems: string[] = []
  for (const session of sessions) {
    const events = (await store.read(session, 0)).map((event) => event.data as SessionEvent)
    problems.push(...messageProblems(events, outside), ...turnProblems(events), ...approvalProblems(events, outside))
    problems.push(...viewerProblems(events, outside.viewers.get(session)))
    problems.push(...manifestProblems(events), ...deliveryProblems(events, outside.postbox))
  }
  for (const [key, { idempotent, count }] of ledger.runs) {
    if (!idempotent && count > 1) problems.push(`the tool call ${key} took effect ${count} times`)
  }
  return problems
}

function messageProblems(events: readonly SessionEvent[], { acknowledged, sent }: Outside): string[] {
  const received = events.filter((event) => event.type === 'messageReceived')
  const problems: string[] = []
  const texts = received.map((event) => event.payload?.parts[0]?.text ?? '')
  for (const text of new Set(texts)) {
    const count = texts.filter((other) => other === text).length
    if (count > 1) problems.push(`the message '${text}' is in the log ${count} times`)
    if (!sent.has(text)) problems.push(`the message '${text}' was never sent`)
  }
  const session = sessionOf(events)
  for (const [text, where] of acknowledged) {
    if (where === session && !texts.includes(text)) problems.push(`the acknowledged message '${text}' is lost`)
  }
  const taken = events.flatMap((event) => (event.type === 'turnStarted' ? event.messageIds : []))
  for (const { messageId } of received) {
    const count = taken.filter((id) => id === messageId).length
    if (count !== 1) problems.push(`the message ${messageId} was taken by ${count} turns`)
  }
  return problems
}

/** The session's id stands in its events only as the owner's name: the simulation names owners after sessions. */
function sessionOf(events: readonly SessionEvent[]): string | undefined {
  const opened = events.find((event) => event.type === 'sessionOpened')
  return opened?.payload?.owner.id
}

// What belongs to a turn but goes on in parallel to it, and after it.
const parallel: ReadonlySet<string> = new Set(['slotFilled', 'slotSaid', 'manifestSettled', 'deliveryQueued'])

function turnProblems(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  const texts = new Map(
    events.flatMap((event) =>
      event.type === 'messageReceived' ? [[event.messageId, event.payload?.parts[0]?.text ?? ''] as const] : [],
    ),
  )
  let epoch = 0
  for (const event of events) {
    if (event.epoch !== undefined && event.epoch < epoch)
      problems.push(`an event of epoch ${event.epoch} follows ${epoch}`)
    epoch = Math.max(epoch, event.epoch ?? 0)
  }
  for (const started of events.filter((event) => event.type === 'turnStarted')) {
    const { turnId } = started
    const own = events.filter((event) => 'turnId' in event && event.turnId === turnId && !parallel.has(event.type))
    const settled = own.filter((event) => event.type === 'turnSettled')
    const [end] = settled
    if (settled.length !== 1 || end === undefined) {
      problems.push(`the turn ${turnId} was settled ${settled.length} times`)
      continue
    }
    const cancelled = own.findIndex((event) => event.type === 'cancelRequested')
    const afterwards = cancelled === -1 ? [] : own.slice(cancelled).map((event) => event.type)
    if (afterwards.includes('stepCommitted') || afterwards.includes('toolStarted')) {
      problems.push(`the turn ${turnId} goes on after it was cancelled: ${afterwards.join(' ')}`)
    }
    if (own.at(-1) !== end) problems.push(`the turn ${turnId} goes on after it has settled`)
    const ids = own.flatMap((event) => (event.type === 'partReceived' ? [event.partId] : []))
    if (new Set(ids).size !== ids.length) problems.push(`the turn ${turnId} has a part twice`)
    const text = started.messageIds.flatMap((id) => texts.get(id) ?? []).join('\n')
    problems.push(...answerProblems(own, end, text))
  }
  return problems
}

function answerProblems(
  own: readonly SessionEvent[],
  end: Extract<SessionEvent, { type: 'turnSettled' }>,
  text: string,
): string[] {
  const answers = own.flatMap((event) =>
    event.type === 'partReceived' && event.partType === 'response' ? [event.payload?.part.text ?? ''] : [],
  )
  if (end.finalizedBy === 'cancelled') return []
  if (end.turnState === 'error') {
    // Five resumes without progress end a turn: with enough bad luck that happens.
    const stuck = own.filter((event) => event.type === 'turnResumed').length > 5
    const expected = text.startsWith('broken') || stuck
    return expected ? [] : [`the turn for '${text}' ended in an error: ${JSON.stringify(own.at(-2))}`]
  }
  if (answers.length !== 1) return [`'${text}' was answered ${answers.length} times`]
  return answers[0]?.startsWith(`done: ${text}`) === true ? [] : [`'${text}' was answered with '${answers[0]}'`]
}

function approvalProblems(events: readonly SessionEvent[], { confirmed }: Outside): string[] {
  const decided = events.flatMap((event) => (event.type === 'approvalDecided' ? [event.approvalId] : []))
  const requested = events.flatMap((event) => (event.type === 'approvalRequested' ? [event.approvalId] : []))
  const problems: string[] = []
  for (const id of new Set(requested)) {
    const count = decided.filter((other) => other === id).length
    if (count > 1) problems.push(`the approval ${id} was decided ${count} times`)
    const reported = confirmed.filter((other) => other === id).length
    if (reported > 1) problems.push(`${reported} people were told that they decided ${id}`)
    if (reported > count) problems.push(`a caller was told that it decided ${id}, but the log does not have it`)
  }
  return problems
}

/** A viewer that came and went must in the end show what the log says. */
function viewerProblems(events: readonly SessionEvent[], viewer: EnvelopeStream | undefined): string[] {
  if (viewer === undefined) return []
  const inLog = events.flatMap((event) => {
    if (event.type === 'partReceived') return [event.partId]
    return event.type === 'slotFilled' && event.payload?.part ? [`${event.manifestId}.${event.slot}`] : []
  })
  const shown = viewer.parts.filter((part) => part.role === 'agent')
  const open = shown.filter((part) => part.open).map((part) => part.partId)
  if (open.length > 0) return [`a viewer still shows open text: ${open.join(', ')}`]
  const ids = shown.map((part) => part.partId)
  const visible = inLog.filter((id) => ids.includes(id))
  return isDeepStrictEqual(ids, visible) && ids.length >= inLog.length - hidden(events)
    ? []
    : [`a viewer shows ${ids.join(' ')} and not ${inLog.join(' ')}`]
}

function hidden(events: readonly SessionEvent[]): number {
  return events.filter((event) => event.type === 'partReceived' && event.partType === 'setState').length
}
