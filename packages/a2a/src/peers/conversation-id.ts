import { createHash } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'

/** What is gone on with at a peer: a conversation and, when the peer asked something in it, the task that waits. */
export interface PeerConversation {
  readonly contextId: string
  readonly taskId?: string | undefined
}

/**
 * A conversation with a peer as a model may hold it. It counts in the session that it was made in and no other: at the
 * peer all our sessions are the same caller, so a foreign id would lead into another user's conversation.
 */
export function toConversationId(session: string, peer: string, { contextId, taskId = '' }: PeerConversation): string {
  const place = Buffer.from(JSON.stringify([contextId, taskId])).toString('base64url')
  return `${place}.${digest(session, peer, contextId, taskId)}`
}

/** Reads what a model says back. */
export function fromConversationId(session: string, peer: string, id: string): PeerConversation {
  const found = parse(id.split('.')[0] ?? '')
  if (found !== undefined && toConversationId(session, peer, found) === id) return found
  throw new BeachError(
    'BAD_REQUEST',
    'This conversationId is none that the agent has given in this conversation. Leave it out to begin a new one.',
  )
}

function parse(place: string): PeerConversation | undefined {
  try {
    const [contextId, taskId] = JSON.parse(Buffer.from(place, 'base64url').toString()) as unknown[]
    if (typeof contextId !== 'string' || typeof taskId !== 'string') return undefined
    return { contextId, taskId: taskId || undefined }
  } catch {
    return undefined
  }
}

/** A name for these values that cannot be guessed without all of them. */
export function digest(...values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32)
}
