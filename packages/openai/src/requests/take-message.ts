import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import { BeachError, type Part, type Sessions } from '@cool-ai/beach-core'
import type { ClientOffer } from '@cool-ai/beach-core/ports'
import { contentHash, ifFound } from '@cool-ai/beach-core/runtime'
import type { AnswerRef, AnswerTerms } from '../answers/answer-ref.ts'

/** A message to a session, and by what it is known. */
interface MessageToTake {
  readonly parts: readonly Part[]
  readonly offer: ClientOffer
  /** The same for all attempts to send it. */
  readonly name: string
  /** What was asked, by which a name that was used for something else is found out. */
  readonly body: unknown
  readonly terms: AnswerTerms
}

/** Posts a message; gives the answer to it. */
export async function takeMessage(
  sessions: Sessions,
  { session, to, principal }: ThreadSession,
  { parts, offer, name, body, terms }: MessageToTake,
): Promise<{ readonly answer: AnswerRef; readonly duplicate: boolean }> {
  const message = { parts, from: to, dedupeKey: `openai:${name}`, contentHash: contentHash(body), offer }
  const taken = await sessions.take(session, message, principal, { opening: {} })
  if (taken.kind !== 'posted') throw new BeachError('INTERNAL', 'A message was taken for something else.')
  const { messageId, seq, duplicate } = taken.posted
  return { answer: { ...terms, session, from: seq, of: { messageId } }, duplicate }
}

/** Refuses a message to a turn that waits for the client's own tools: it would wait for them, too. */
export async function requireNoOpenCall(sessions: Sessions, { session, principal, to }: ThreadSession): Promise<void> {
  const view = await ifFound(sessions.view(session, principal))
  const open = view?.inFlight.find(({ kind, client }) => kind === 'tool' && client === to.id)
  if (open === undefined) return
  throw new BeachError(
    'BAD_REQUEST',
    `The agent waits for the result of '${open.name}'. Send the output of that call first.`,
    {
      details: { param: 'input' },
    },
  )
}
