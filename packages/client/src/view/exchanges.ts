import type { StreamPart, StreamTurn } from '@cool-ai/beach-protocol/stream'
import type { Pending } from '../pending-messages.ts'
import { isElsewhere } from './answer-blocks.ts'

/** A message of the user; one that the agent has not shown back yet is pending. */
export interface MessageExchange {
  readonly kind: 'message'
  readonly key: string
  readonly text: string
  readonly part?: StreamPart
  readonly pending?: Pending
}

/** All that one turn has said. */
export interface AnswerExchange {
  readonly kind: 'answer'
  readonly key: string
  readonly turn?: StreamTurn | undefined
  readonly parts: readonly StreamPart[]
  /** True when nothing came after it, so that it can still be replied to. */
  readonly last: boolean
}

/** One entry of a conversation as people see it: what they wrote, or what the agent answered. */
export type Exchange = MessageExchange | AnswerExchange

interface ConversationParts {
  readonly parts: readonly StreamPart[]
  readonly turns: readonly StreamTurn[]
  readonly pending: readonly Pending[]
}

/**
 * Makes exchanges of what was said: each turn's parts stand together, where the first of them came. An exchange that has
 * not changed is the same object as before, so that it need not be drawn again.
 */
export function exchangeFold(): (said: ConversationParts) => readonly Exchange[] {
  let before = new Map<string, Exchange>()
  return (said) => {
    const now = exchangesOf(said).map((exchange) => {
      const existing = before.get(exchange.key)
      return existing !== undefined && isSame(existing, exchange) ? existing : exchange
    })
    before = new Map(now.map((exchange) => [exchange.key, exchange]))
    return now
  }
}

function exchangesOf({ parts, turns, pending }: ConversationParts): readonly Exchange[] {
  const byTurn = new Map(turns.map((turn) => [turn.turnId, turn]))
  const answers = new Map<string, StreamPart[]>()
  const order: (StreamPart | string)[] = []
  for (const part of parts) {
    const { role, turnId, partType } = part
    const existing = turnId === undefined ? undefined : answers.get(turnId)
    if (role === 'user' || turnId === undefined) {
      if (!isElsewhere(partType)) order.push(part)
    } else if (existing !== undefined) existing.push(part)
    else {
      answers.set(turnId, [part])
      order.push(turnId)
    }
  }
  const last = pending.length > 0 ? undefined : order.at(-1)
  const said = order.map((item): Exchange => {
    if (typeof item !== 'string') return messageOf(item)
    const turn = byTurn.get(item)
    return {
      kind: 'answer',
      key: item,
      turn,
      parts: answers.get(item) ?? [],
      last: item === last,
    }
  })
  return [...said, ...pending.map(pendingMessage)]
}

/** A message keeps the key that it was sent with, so that the one on its way becomes the one that arrived. */
function messageOf(part: StreamPart): MessageExchange {
  const { clientId } = part.metadata
  const key = typeof clientId === 'string' ? clientId : part.partId
  return { kind: 'message', key, text: part.text ?? '', part }
}

function pendingMessage(pending: Pending): MessageExchange {
  const text = pending.parts.map((part) => part.text ?? '').join('\n')
  return { kind: 'message', key: pending.key, text, pending }
}

function isSame(one: Exchange, other: Exchange): boolean {
  if (one.kind === 'message') {
    return other.kind === 'message' && one.part === other.part && one.pending === other.pending
  }
  return (
    other.kind === 'answer' &&
    one.turn === other.turn &&
    one.last === other.last &&
    one.parts.length === other.parts.length &&
    one.parts.every((part, index) => part === other.parts[index])
  )
}
