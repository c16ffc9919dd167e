import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import type { Part, Sessions } from '@cool-ai/beach-core'
import { positionOf, type AnswerRef } from '../answers/answer-ref.ts'

/** What of a request is kept with its message. */
export interface KeptRequest {
  readonly parts: readonly Part[]
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly previous: string | undefined
}

/** The request of a response, read from the log; nothing for one that goes on with a turn. */
export async function keptRequest(
  sessions: Sessions,
  { session, viewer }: ThreadSession,
  answer: AnswerRef,
): Promise<KeptRequest> {
  const parts: Part[] = []
  if ('messageId' in answer.of) {
    const prefix = `${answer.of.messageId}.`
    for await (const frame of sessions.history(session, viewer, positionOf(answer))) {
      if (frame.kind !== 'part' || !frame.partId.startsWith(prefix)) break
      parts.push(frame.part)
    }
  }
  const { metadata, previous } = parts.map(markOf).find((mark) => mark !== undefined) ?? {}
  return { parts, metadata, previous }
}

interface Mark {
  readonly metadata?: Readonly<Record<string, string>>
  readonly previous?: string
}

function markOf({ metadata: { openai } }: Part): Mark | undefined {
  return typeof openai === 'object' && openai !== null ? openai : undefined
}
