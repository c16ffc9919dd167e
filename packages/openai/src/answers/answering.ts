import { until, type LinkOf } from '@cool-ai/beach-channel/live'
import type { ThreadSession, TurnEnd } from '@cool-ai/beach-channel/threads'
import { BeachError } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import type { Desk, Visit } from '../desk.ts'
import { inForm, notInForm, type AnswerForm } from '../requests/answer-form.ts'
import { Answer } from './answer.ts'
import type { AnswerItem } from './answer-item.ts'
import { AnswerWriter, type AnswerChange } from './answer-writer.ts'
import type { AnswerRef } from './answer-ref.ts'
import { answerFrames } from './follow-answer.ts'

/** An answer that a client waits for. */
export interface AnswerPlan {
  readonly place: ThreadSession
  readonly answer: AnswerRef
  readonly form: AnswerForm | undefined
  /** False for a client that comes back to an answer that it had asked for. */
  readonly isNew: boolean
}

const waits = 'This is answered once the request above is decided.'
const failed = 'The agent could not answer. Please try again.'

/** How an answer is over. */
export type AnswerOutcome =
  | { readonly kind: 'completed' | 'calls' | 'cancelled' | 'running' }
  | { readonly kind: 'failed'; readonly message: string }

/** Reads an answer for a client, and stops its turn when the client has left it. */
export class Answering {
  readonly plan: AnswerPlan
  readonly answer: Answer
  readonly writer = new AnswerWriter()
  readonly #desk: Desk
  #end: TurnEnd = 'cutOff'
  /** The seq of the last event that was read. */
  upTo: number

  constructor(desk: Desk, plan: AnswerPlan) {
    const { answer: ref, place } = plan
    this.#desk = desk
    this.plan = plan
    this.upTo = ref.from
    const { partTypes } = desk.options
    this.answer = new Answer({ ref, viewer: place.viewer.id, partTypes })
  }

  /** What is new of the answer, until it is over or the signal aborts. */
  async *changes(signal: AbortSignal): AsyncGenerator<AnswerChange, void, undefined> {
    const { place, answer } = this.plan
    const { sessions } = this.#desk.options
    const frames = answerFrames({ sessions, place, answer, signal, linkOf: this.#linkOf() })
    for (;;) {
      const { done, value } = await frames.next()
      if (done === true) {
        this.#end = value
        break
      }
      if (value.cursor !== undefined) this.upTo = Number(value.cursor)
      this.answer.apply(value)
      yield* this.writer.update(this.#items(false))
    }
    const isOver = this.#end !== 'cutOff'
    yield* this.writer.update(this.#items(isOver))
    yield* this.writer.close(this.outcome.kind === 'completed' || this.outcome.kind === 'calls')
  }

  get outcome(): AnswerOutcome {
    const { settled, error } = this.answer
    if (settled === undefined) {
      if (this.#end === 'cutOff') return { kind: 'running' }
      return { kind: this.writer.written.some(({ item }) => item.kind === 'call') ? 'calls' : 'completed' }
    }
    if (settled.finalizedBy === 'cancelled') return { kind: 'cancelled' }
    if (settled.turnState === 'error') return { kind: 'failed', message: error ?? failed }
    return { kind: 'completed' }
  }

  /** Reads the answer to its end, for a client that waits for all of it. */
  async whole(visit: Visit, onStop: () => void): Promise<void> {
    const { request, leave } = visit
    const followed = this.follow(onStop)
    const end = until(request.signal, this.#desk.options.signal)
    try {
      for await (const _ of this.changes(end.signal)) if (end.signal.aborted) break
    } finally {
      end.now()
      leave()
      followed(request.signal.aborted && this.answer.settled === undefined)
    }
    if (this.outcome.kind !== 'running') return
    throw new BeachError('STOPPING', 'The agent is stopping before it has answered. Send the same request again.')
  }

  /** From now on its turn is followed; the returned function says that it is not any more, and whether its client has left. */
  follow(onStop: () => void): (hasLeft: boolean) => void {
    if (this.plan.answer.isDetached) return () => {}
    const { place, isNew } = this.plan
    const run = this.#desk.followed.begin(place, { isBack: !isNew })
    return (hasLeft) => {
      if (!hasLeft) return run.end()
      run.leave(() => {
        onStop()
        return this.#turnToStop()
      })
    }
  }

  /** The turn that the client has left, if it still runs. One that waits for a person waits on. */
  async #turnToStop(): Promise<string | undefined> {
    const { session, principal } = this.plan.place
    const turn = (await ifFound(this.#desk.options.sessions.view(session, principal)))?.turn
    return turn?.turnId === this.answer.turnId && turn?.turnState !== 'suspended' ? turn?.turnId : undefined
  }

  /** Where the client wants a form, texts are read to their end before it is known what it gets. */
  #items(isOver: boolean): readonly AnswerItem[] {
    const { form } = this.plan
    const items = isOver && this.answer.turnId === undefined ? [textItem('text', waits)] : this.answer.items
    if (form === undefined) return items
    const others = items.filter(({ kind }) => kind !== 'text')
    if (!isOver || this.outcome.kind !== 'completed') return others
    const text = inForm(this.answer, form)
    const words = items.map((item) => (item.kind === 'text' ? item.text : '')).join('')
    return [
      ...others,
      text === undefined ? textItem('refusal', words === '' ? notInForm : words) : textItem('text', text),
    ]
  }

  #linkOf(): LinkOf | undefined {
    const { localLink } = this.#desk.options
    const { session, principal } = this.plan.place
    return localLink && ((id: string) => localLink(id, session, principal))
  }
}

function textItem(kind: 'text' | 'refusal', text: string): AnswerItem {
  return { kind, key: `${kind}:whole`, text, sources: [] }
}
