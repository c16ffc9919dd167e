import type { Part, Principal } from '@cool-ai/beach-core'
import type { EventDraft } from '@cool-ai/beach-core/log'
import type { HandleContext } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { foldFlows } from './fold-flows.ts'
import { flowsNs, type Book, type FlowsState, flowCounts } from './flows-state.ts'
import { FlowError } from '../schemas/flow-error.ts'
import type { Values } from '../schemas/json-problem.ts'

export type EventBatchContext = Pick<HandleContext, 'session' | 'now' | 'id'> & {
  /** The user it is for, if any, so that it can be erased with their data. */
  readonly by?: Principal | undefined
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
  /** The state with everything that was written so far. */
  state: FlowsState

  constructor(state: FlowsState, context: EventBatchContext) {
    this.state = state
    this.context = context
  }

  /** True when the last event so far is one that listeners see. */
  get shows(): boolean {
    return this.#entries.at(-1)?.part !== undefined
  }

  /** Something that listeners see, and what is to be remembered with it. */
  show(event: ServerEvent, book: Book = {}, metadata: Values = {}): void {
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
    const copy = new EventBatch(this.state, this.context)
    copy.#entries.push(...this.#entries.map((entry) => ({ ...entry })))
    copy.#carried = this.#carried
    return copy
  }

  join(fork: EventBatch): void {
    this.#entries.splice(0, this.#entries.length, ...fork.#entries)
    this.#carried = fork.#carried
    this.state = fork.state
  }

  drafts(): EventDraft[] {
    if (this.#carried !== undefined) this.note({})
    const { by } = this.context
    return this.#entries.map(({ name, part, book, answers }) =>
      defined({
        type: 'sliceEvent',
        ns: flowsNs,
        name,
        answers,
        payload: defined({ value: book, part, by }),
      }),
    )
  }

  #add(entry: Entry): void {
    this.#entries.push(this.#carried === undefined ? entry : { ...entry, book: { ...this.#carried, ...entry.book } })
    this.#carried = undefined
    this.#fold(entry)
  }

  #fold({ name, part, book }: Entry): void {
    const payload = defined({ value: book, part })
    const event = { type: 'sliceEvent', id: '', v: 1, at: this.context.now, ns: flowsNs, name, payload } as const
    this.state = foldFlows(this.state, event)
  }
}

/** Why something of an instance is changed. */
export interface Cause {
  readonly by: Principal
  /** The event that led to it. */
  readonly eventId: string
  /** How many pieces of work have led to it. */
  readonly depth: number
  /** Said in the payload: the client event that this answers. */
  readonly inReplyTo?: string | undefined
}

/** An event on its way to the machine of an instance. */
export interface FlowInput {
  readonly event: string
  readonly payload?: Values | undefined
  /** What of the context is changed besides. */
  readonly contextUpdate?: Values | undefined
  readonly book?: Book | undefined
  /** What the instance's end brings, where that is not its context. */
  readonly result?: Values | undefined
}

// A turn that has not said what it prepared by then never will.
const preparedMs = 10 * 60 * 1_000

/** Refuses one more flow where as many are open, or about to be, as there may be. */
export function checkRoom({ state, context }: EventBatch, maxFlows: number): void {
  const { flows, prepared, work } = state
  const coming = [
    ...prepared.filter(({ at = 0 }) => context.now - at < preparedMs),
    ...work.filter(({ kind }) => kind === 'hydrate'),
  ]
  if (Object.keys(flows).length + coming.length < maxFlows) return
  const message = `${maxFlows} flows are open in this conversation. Complete or dismiss one first.`
  throw new FlowError('RATE_LIMITED', message, { retryAfter: 60 })
}

export function checkWork({ state }: EventBatch): void {
  if (state.work.length < flowCounts.work) return
  throw new FlowError('RATE_LIMITED', 'Too much is being worked on in this conversation. Wait a moment.', {
    retryAfter: 5,
  })
}
