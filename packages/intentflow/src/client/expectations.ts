import type { ErrorPayload } from '../schemas/server-payloads.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import type { FlowClientError } from './flow-client-error.ts'
import type { FlowAction } from './flow-client.ts'
import type { Expected } from './snapshots.ts'
import { keepLatest } from './recent.ts'

/** How many things that were done are remembered, so that they can be done again. */
const maxDoneEvents = 200

/** What was done here and is not confirmed, and what went wrong with it. All that it gives out never changes. */
export class Expectations {
  /** What was done and can be done again, by eventId. */
  readonly #done = new Map<string, { readonly instanceId: string; readonly action: FlowAction }>()
  #expected: readonly Expected[] = []
  #errors: ReadonlyMap<string, ErrorPayload> = new Map()
  #error: ErrorPayload | undefined

  get expected(): readonly Expected[] {
    return this.#expected
  }

  get errors(): ReadonlyMap<string, ErrorPayload> {
    return this.#errors
  }

  /** The last error that was about no flow. */
  get error(): ErrorPayload | undefined {
    return this.#error
  }

  /** Something is done: it is expected to count, and what went wrong before is over. */
  add(expected: Expected, action?: FlowAction): void {
    const { eventId, instanceId } = expected
    this.#expected = [...this.#expected, expected]
    this.clearError(instanceId)
    if (action === undefined) return
    this.#done.set(eventId, { instanceId, action })
    keepLatest(this.#done, maxDoneEvents)
  }

  /** The server has answered: its events show it with that seq, or, when there is none, in their own time. */
  answered(eventId: string, seq = unknownSeq): void {
    this.#expected = this.#expected.map((each) => (each.eventId === eventId ? { ...each, seq } : each))
  }

  /** True when the server's events that show something were promised for now and have not come. */
  isOverdue(eventId: string): boolean {
    return this.#expected.some((each) => each.eventId === eventId && each.seq !== unknownSeq)
  }

  /** It is confirmed, or did not count; gives it if it was expected. */
  drop(eventId: string): Expected | undefined {
    const found = this.#expected.find((each) => each.eventId === eventId)
    this.#remove((each) => each === found)
    return found
  }

  /** The server has moved a flow: what was done only here is over. */
  dropLocal(moved: string): void {
    this.#remove(({ instanceId, local }) => local === true && instanceId === moved)
  }

  /** All that the server has taken is in what it has just shown. */
  dropUnknown(): void {
    this.#remove(({ seq }) => seq === unknownSeq)
  }

  /** Drops what these flows show already, or what is about flows that are over. */
  settle(flows: ActiveFlows): void {
    this.#remove(({ instanceId, seq }) => {
      const flow = flows[instanceId]
      return flow === undefined || (seq !== undefined && seq <= flow.seq)
    })
    const left = [...this.#errors].filter(([instanceId]) => flows[instanceId] !== undefined)
    if (left.length < this.#errors.size) this.#errors = new Map(left)
  }

  /** Notes an error on its flow, if that is active. */
  fail(error: ErrorPayload, flows: ActiveFlows): void {
    const instanceId = error.instanceId ?? this.#done.get(error.inReplyTo ?? '')?.instanceId
    if (instanceId === undefined || flows[instanceId] === undefined) this.#error = error
    else this.#errors = new Map([...this.#errors, [instanceId, error]])
  }

  clearError(instanceId?: string): void {
    if (instanceId === undefined) this.#error = undefined
    else if (this.#errors.has(instanceId)) this.#errors = new Map([...this.#errors].filter(([id]) => id !== instanceId))
  }

  /** What the last error of a flow was about, to be done again: as what it is now, not as of an earlier seq. */
  again(instanceId: string): FlowAction | undefined {
    const done = this.#done.get(this.#errors.get(instanceId)?.inReplyTo ?? '')
    if (done === undefined) return undefined
    const { expectedSeq: _, ...action } = done.action
    return action
  }

  #remove(isGone: (expected: Expected) => boolean): void {
    if (this.#expected.some(isGone)) this.#expected = this.#expected.filter((each) => !isGone(each))
  }
}

/** Of something that the server works on, and that it will show by an event in reply to it. */
const unknownSeq = Infinity

/** What went wrong on the way, in the form of the server's errors. */
export function payloadOf(error: FlowClientError, { instanceId, eventId }: Expected): ErrorPayload {
  const { payload, code, message } = error
  const base = payload ?? { code: code as ErrorPayload['code'], message, recoverable: true }
  return { ...base, instanceId, inReplyTo: eventId }
}
