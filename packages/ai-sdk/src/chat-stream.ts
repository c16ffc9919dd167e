import { turnFrames, type FollowTurn, type TurnEnd } from '@cool-ai/beach-channel/threads'
import { ChunkWriter } from './chunk-writer.ts'
import { TurnMessage } from './turn-message.ts'
import type { ToolPart, UiChunk } from './ui-message.ts'

/** An answer that a page follows. */
export interface ChatStream extends FollowTurn {
  /** The calls that the page has in the message that goes on. */
  readonly known: readonly ToolPart[]
  /** Called with the turn once it is known. */
  readonly onTurn: (turnId: string) => void
}

const waits = 'This is answered once the request above is decided.'
const cutOff = 'The answer was cut off. Load the conversation again to go on.'
const failed = 'The agent could not answer. Please try again.'

/** An answer as chunks: one message of the assistant, which ends with its turn, or where a person is asked. */
export async function* chatChunks(stream: ChatStream): AsyncGenerator<UiChunk, void, undefined> {
  const { sessions, place } = stream
  let follow: FollowTurn = stream
  let isStarted = false
  for (;;) {
    const known = isStarted ? [] : stream.known
    const message = new TurnMessage(place.viewer.id, known)
    const writer = new ChunkWriter(known)
    const frames = turnFrames(follow)
    let end: TurnEnd = 'cutOff'
    for (;;) {
      const { done, value } = await frames.next()
      if (done === true) {
        end = value
        break
      }
      message.apply(value)
      const { turnId } = message
      if (!isStarted && turnId !== undefined) {
        isStarted = true
        stream.onTurn(turnId)
        yield started(turnId, place.session)
      }
      yield* writer.update(message.steps())
    }
    yield* writer.close()
    // A message that came behind a request is answered in the same message of the page.
    const next = end === 'settled' ? await nextTurn(follow, message) : undefined
    if (next === undefined) {
      if (!isStarted) yield* behind(stream, place.session)
      else yield* ending(end, message)
      return
    }
    follow = next
  }

  /** The turn of what had waited for this one. */
  async function nextTurn({ of }: FollowTurn, { cursor }: TurnMessage): Promise<FollowTurn | undefined> {
    if (of === 'next' || !('turnId' in of)) return undefined
    const { turn, waiting } = await sessions.view(place.session, place.principal)
    const isComing = turn !== undefined || waiting > 0 || (await hasTurnAfter(cursor))
    if (!isComing) return undefined
    return { ...stream, of: 'next', from: cursor }
  }

  /** True for a turn that has started meanwhile; it may be over. */
  async function hasTurnAfter(cursor: string | undefined): Promise<boolean> {
    for await (const { kind } of sessions.history(place.session, place.viewer, cursor)) if (kind === 'turn') return true
    return false
  }
}

function started(turnId: string, sessionId: string): UiChunk {
  return { type: 'start', messageId: turnId, messageMetadata: { sessionId, turnId } }
}

function* ending(end: TurnEnd, { settled, error, cursor }: TurnMessage): Generator<UiChunk> {
  if (end === 'cutOff') return yield { type: 'error', errorText: cutOff }
  const { turnState = 'suspended', finalizedBy } = settled ?? {}
  const messageMetadata = { turnState, cursor }
  if (finalizedBy === 'cancelled') return yield { type: 'abort', reason: 'cancelled' }
  if (turnState === 'error') yield { type: 'error', errorText: error ?? failed }
  const finishReason = turnState === 'error' ? 'error' : end === 'rests' ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason, messageMetadata }
}

/** The answer to a message that waits for a decision: it says so. */
function* behind({ of }: ChatStream, sessionId: string): Generator<UiChunk> {
  const id = of !== 'next' && 'messageId' in of ? of.messageId : 'waits'
  yield { type: 'start', messageId: `${id}~waits`, messageMetadata: { sessionId } }
  yield { type: 'text-start', id }
  yield { type: 'text-delta', id, delta: waits }
  yield { type: 'text-end', id }
  yield { type: 'finish', finishReason: 'other' }
}
