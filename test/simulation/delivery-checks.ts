import type { Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { Postbox, Received } from './postbox.ts'

/** What is wrong with what was pushed: every answer once where the other side dedupes, at least once where it does not. */
export function deliveryProblems(events: readonly SessionEvent[], postbox: Postbox): string[] {
  const problems: string[] = []
  for (const queued of events.filter((event) => event.type === 'deliveryQueued')) {
    const { deliveryId } = queued
    const ends = events.filter((event) => {
      if (event.type === 'deliverySent') return event.deliveryId === deliveryId
      return event.type === 'deliveryFailed' && event.deliveryId === deliveryId && event.nextAt === undefined
    })
    if (ends.length !== 1) problems.push(`the delivery ${deliveryId} ended ${ends.length} times`)
  }
  for (const turn of turnsWithAnswers(events)) {
    for (const to of turn.senders.filter((id) => !id.startsWith('sse:'))) {
      const got = postbox.received.filter((entry) => entry.to === to && entry.envelope.meta.turnId === turn.turnId)
      problems.push(...turn.parts.flatMap((part) => partProblems(part, to, got, isDead(events, turn.turnId, to))))
    }
  }
  return problems
}

interface AnsweredTurn {
  readonly turnId: string
  /** The originators of the messages that the turn answers. */
  readonly senders: readonly string[]
  /** What every one of them must get. */
  readonly parts: readonly Part[]
}

function turnsWithAnswers(events: readonly SessionEvent[]): AnsweredTurn[] {
  const senderOf = new Map(
    events.flatMap((event) =>
      event.type === 'messageReceived' ? [[event.messageId, event.originatorId] as const] : [],
    ),
  )
  return events.flatMap((event) => {
    if (event.type !== 'turnStarted') return []
    const { turnId, messageIds } = event
    const parts = events.flatMap((other) => {
      if (other.type !== 'partReceived' || other.turnId !== turnId || other.payload === undefined) return []
      return owed.has(other.partType) && !other.payload.part.metadata.truncated ? [other.payload.part] : []
    })
    const senders = new Set(messageIds.flatMap((id) => senderOf.get(id) ?? []))
    return [{ turnId, senders: [...senders], parts }]
  })
}

const owed: ReadonlySet<string> = new Set(['response', 'error', 'approval-request'])

function isDead(events: readonly SessionEvent[], turnId: string, to: string): boolean {
  return events.some((event) => {
    if (event.type !== 'deliveryFailed' || event.nextAt !== undefined || event.originatorId !== to) return false
    return event.deliveryId.startsWith(turnId)
  })
}

function partProblems(part: Part, to: string, got: readonly Received[], mayMiss: boolean): string[] {
  const same = (other: Part) => {
    return other.metadata.partType === part.metadata.partType && JSON.stringify(other) === JSON.stringify(part)
  }
  const count = got.filter(({ envelope }) => envelope.parts.some(same)).length
  const what = `${part.metadata.partType} '${part.text ?? JSON.stringify(part.data).slice(0, 60)}'`
  if (count === 0 && !mayMiss) return [`${to} never got the ${what}`]
  if (count > 1 && to.startsWith('webhook:')) return [`${to} got the ${what} ${count} times`]
  return []
}
