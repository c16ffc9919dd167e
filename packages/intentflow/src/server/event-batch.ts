import type { Part, Principal } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import type { HandleContext } from '@cool-ai/beach-core/ports'
import type { ServerEvent } from '../schemas/server-events.ts'
import { foldFlows } from './fold-flows.ts'
import { flowsNs, type Book, type FlowsState } from './flows-state.ts'

/** Where and when something is written. */
export type EventBatchContext = Pick<HandleContext, 'session' | 'now' | 'id'> & {
  /** The user it is for, if any, so that it can be erased with their data. */
  readonly by?: Principal
}

interface Entry {
  readonly name: string
  readonly part?: Part
  readonly book: Book
  answers?: readonly string[]
}

/** What a decision writes, event after event: each is decided on the state that the ones before it have led to. */
export class EventBatch {
  readonly context: EventBatchContext
  readonly #entries: Entry[] = []
  #carried: Book | undefined
  #state: FlowsState

  constructor(state: FlowsState, context: EventBatchContext) {
    this.#state = state
    this.context = context
  }

  /** The state with everything that was written so far. */
  get state(): FlowsState {
    return this.#state
  }

  /** True when the last event so far is one that listeners see. */
  get shows(): boolean {
    return this.#entries.at(-1)?.part !== undefined
  }

  /** Something that listeners see, and what is to be remembered with it. */
  show(event: ServerEvent, book: Book = {}, metadata: Readonly<Record<string, unknown>> = {}): void {
    const part = { data: event.value, metadata: { partType: event.name, ...metadata } }
    this.#add({ name: event.name.slice(flowsNs.length + 1), part, book })
  }

  /** Something that is only to be remembered. */
  note(book: Book): void {
    this.#add({ name: 'note', book })
  }

  /** Something to be remembered with whatever is written next; it counts at once. */
  carry(book: Book): void {
    this.#carried = { ...this.#carried, ...book }
    this.#fold({ name: 'note', book })
  }

  /** What was said before and is done with the last event so far; listeners learn of it with its part. */
  answer(eventIds: readonly string[]): void {
    const last = this.#entries.at(-1)
    if (last !== undefined && eventIds.length > 0) last.answers = [...(last.answers ?? []), ...eventIds]
  }

  /** A copy to go on with, which can be thrown away. */
  fork(): EventBatch {
    const copy = new EventBatch(this.#state, this.context)
    copy.#entries.push(...this.#entries.map((entry) => ({ ...entry })))
    copy.#carried = this.#carried
    return copy
  }

  /** Takes over what a fork has come to. */
  join(fork: EventBatch): void {
    this.#entries.splice(0, this.#entries.length, ...fork.#entries)
    this.#carried = fork.#carried
    this.#state = fork.#state
  }

  drafts(): EventDraft[] {
    if (this.#carried !== undefined) this.note({})
    const { by } = this.context
    return this.#entries.map(({ name, part, book, answers }) => ({
      type: 'sliceEvent',
      ns: flowsNs,
      name,
      ...(answers && { answers }),
      payload: { value: book, ...(part && { part }), ...(by && { by }) },
    }))
  }

  #add(entry: Entry): void {
    this.#entries.push(this.#carried === undefined ? entry : { ...entry, book: { ...this.#carried, ...entry.book } })
    this.#carried = undefined
    this.#fold(entry)
  }

  #fold({ name, part, book }: Entry): void {
    const payload = { value: book, ...(part && { part }) }
    const event = { type: 'sliceEvent', id: '', v: 1, at: this.context.now, ns: flowsNs, name, payload } as const
    this.#state = foldFlows(this.#state, event)
  }
}
