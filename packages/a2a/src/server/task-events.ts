import { TaskState, type Message as A2aMessage, type StreamResponse } from '@a2a-js/sdk'
import type { Clock, Frame } from '@cool-ai/beach-core'
import type { PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'
import { takesText } from './accepted-forms.ts'
import { textPart } from './part-forms.ts'
import type { TaskChange, TaskProjection } from './task-projection.ts'
import { artifactOf, historyMessage, progressOf, taskMetadata, toArtifact, type TaskReader } from './to-task.ts'

export interface TaskEventsOptions {
  readonly clock: Clock
  /** Ends the frames, when events are no longer needed. */
  readonly end: () => void
  readonly gatherMs: number
}

const due = Symbol('due')

/**
 * What happens to a task from here on, as A2A events, until it is over or needs an answer. The first piece of
 * a text goes out at once, further ones are gathered; each costs the same, however many there were before.
 */
export async function* taskEvents(
  projection: TaskProjection,
  frames: AsyncIterable<Frame>,
  reader: TaskReader,
  { clock, gatherMs, end }: TaskEventsOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  const text = new TextBuffer()
  const writer = new EventWriter(projection, reader, text)
  const iterator = frames[Symbol.asyncIterator]()
  let cancelTimer: (() => void) | undefined
  let timer: Promise<typeof due> | undefined
  const stopTimer = () => {
    cancelTimer?.()
    cancelTimer = undefined
    timer = undefined
  }
  const startTimer = () => {
    timer ??= new Promise((resolve) => {
      cancelTimer = clock.timer(gatherMs, () => resolve(due))
    })
  }
  try {
    let next: Promise<IteratorResult<Frame>> | undefined
    for (;;) {
      next ??= iterator.next()
      const got = timer === undefined ? await next : await Promise.race([next, timer])
      if (got === due) {
        stopTimer()
        for (const event of writer.pieces()) yield event
        continue
      }
      next = undefined
      if (got.done === true) return
      const change = projection.apply(got.value)
      if (change === undefined) continue
      // A caller that takes no text gets the whole in another form.
      if (change.kind === 'delta' && !takesText(reader.accepts)) continue
      if (change.kind === 'delta') {
        const { delta } = change
        const isFirst = text.add(delta.partId, delta.partType, delta.offset, delta.text, delta.origin)
        // While pieces are being gathered, this one joins them.
        if (isFirst && timer === undefined) for (const event of writer.pieces()) yield event
        startTimer()
        continue
      }
      stopTimer()
      // Handing over to a generator would cost several promises for each event.
      for (const event of writer.pieces(change)) yield event
      for (const event of await writer.change(change)) yield event
      if (change.kind === 'status' && projection.rests && !projection.isHeld) return
    }
  } finally {
    stopTimer()
    end()
    // Not awaited: it waits for a frame that is being waited for.
    iterator.return?.().catch(() => {})
  }
}

class EventWriter {
  readonly #task: TaskProjection
  readonly #reader: TaskReader
  readonly #text: TextBuffer

  constructor(task: TaskProjection, reader: TaskReader, text: TextBuffer) {
    this.#task = task
    this.#reader = reader
    this.#text = text
  }

  /** Text that waits, except for a part that comes as a whole now. */
  pieces(before?: TaskChange): StreamResponse[] {
    if (before?.kind === 'part') this.#text.close(before.partId)
    return this.#text.take().map((piece) => this.#piece(piece))
  }

  async change(change: Exclude<TaskChange, { kind: 'delta' }>): Promise<StreamResponse[]> {
    switch (change.kind) {
      case 'part': {
        const artifact = await toArtifact(change.partId, change.entry, this.#reader)
        return artifact === undefined ? [] : [this.#artifact(artifact, false, true)]
      }
      case 'note':
        return [this.#note(change)]
      case 'remark':
        return [this.#remark(change.message)]
      case 'retract':
        return this.#text.retract(change.partIds).map(({ partId, partType }) => {
          const artifact = artifactOf(partId, [textPart('', { partType })], { partType })
          return this.#artifact({ ...artifact, metadata: { ...artifact.metadata, retracted: true } }, false, true)
        })
      case 'status':
        return [this.#status(await progressOf(this.#task, this.#reader))]
    }
  }

  #piece({ partId, partType, origin, text, append }: Piece): StreamResponse {
    const part = textPart(text, { partType, ...defined({ origin }) })
    return this.#artifact(artifactOf(partId, [part], { partType }), append, false)
  }

  /** With metadata only: clients keep every message of a status as history. */
  #note({ part, seq }: Extract<TaskChange, { kind: 'note' }>): StreamResponse {
    const { at } = this.#task
    const status = { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: new Date(at).toISOString() }
    const metadata = {
      ...taskMetadata(this.#task),
      partType: part.metadata.partType,
      ...defined({ seq }),
      [`${BEACH_EXTENSION_URI}/parts`]: [part],
    }
    return this.#status({ status, metadata })
  }

  #remark(said: A2aMessage): StreamResponse {
    const message = historyMessage(said, this.#task, this.#reader)
    const timestamp = new Date(this.#task.at).toISOString()
    const status = { state: TaskState.TASK_STATE_WORKING, message, timestamp }
    return this.#status({ status, metadata: taskMetadata(this.#task) })
  }

  #status({ status, metadata }: Awaited<ReturnType<typeof progressOf>>): StreamResponse {
    const { taskId, contextId } = this.#task
    return { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata } } }
  }

  #artifact(artifact: ReturnType<typeof artifactOf>, append: boolean, lastChunk: boolean): StreamResponse {
    const { taskId, contextId } = this.#task
    const value = { taskId, contextId, artifact, append, lastChunk, metadata: undefined }
    return { payload: { $case: 'artifactUpdate', value } }
  }
}

/** Text of open parts as it comes, and what of it has not been sent yet. */
export class TextBuffer {
  readonly #open = new Map<string, OpenText>()

  add(partId: string, partType: string, offset: number, text: string, origin?: PartOrigin): boolean {
    const open = this.#open.get(partId)
    if (open === undefined) {
      const length = offset + text.length
      const whole = { length, text: [text], waiting: [text], restarts: true, isSent: false }
      this.#open.set(partId, { partType, origin, ...whole })
      return true
    }
    if (offset === open.length) {
      open.waiting.push(text)
      open.text.push(text)
      open.length += text.length
      return false
    }
    // Text that was changed is sent anew from its start.
    const whole = open.text.join('').slice(0, offset) + text
    open.text = [whole]
    open.waiting = [whole]
    open.length = whole.length
    open.restarts = true
    return false
  }

  /** What waits to be sent; afterwards nothing does. */
  take(): Piece[] {
    const pieces: Piece[] = []
    for (const [partId, open] of this.#open) {
      if (open.waiting.length === 0) continue
      const { partType, origin } = open
      pieces.push({ partId, partType, origin, text: open.waiting.join(''), append: !open.restarts })
      open.waiting = []
      open.restarts = false
      open.isSent = true
    }
    return pieces
  }

  close(partId: string): void {
    this.#open.delete(partId)
  }

  /** Takes back parts, or all that are open; those that had been sent are returned. */
  retract(partIds: readonly string[] = [...this.#open.keys()]): { partId: string; partType: string }[] {
    return partIds.flatMap((partId) => {
      const open = this.#open.get(partId)
      this.#open.delete(partId)
      return open?.isSent === true ? [{ partId, partType: open.partType }] : []
    })
  }
}

interface OpenText {
  readonly partType: string
  readonly origin: PartOrigin | undefined
  length: number
  /** All of it, in pieces: joining them for every piece would make long texts slow. */
  text: string[]
  waiting: string[]
  restarts: boolean
  isSent: boolean
}

interface Piece {
  readonly partId: string
  readonly partType: string
  readonly origin: PartOrigin | undefined
  readonly text: string
  readonly append: boolean
}
