import type { Frame } from '@cool-ai/beach-core'
import type { TakenRun } from './intake.ts'

type Settled = Extract<Frame, { kind: 'settled' }>

/** Which of a session's frames are a run's, and when it has nothing more to show. */
export class RunScope {
  readonly #awaits: Set<string>
  readonly #turns: Set<string>
  readonly #hides: string | undefined
  readonly #undone: Set<string>
  readonly #stays: boolean
  turnId: string | undefined
  last: Settled | undefined

  constructor({ awaits, turns, hides, replies }: Pick<TakenRun, 'awaits' | 'turns' | 'hides' | 'replies'>) {
    this.#awaits = new Set(awaits)
    this.#turns = new Set(turns)
    this.#hides = hides
    this.#undone = new Set(replies?.awaits)
    this.#stays = replies?.stays === true
    this.turnId = [...turns][0]
  }

  get isOver(): boolean {
    return this.#awaits.size === 0 && this.#turns.size === 0 && this.#undone.size === 0 && !this.#stays
  }

  /** True while slices have work of the run to do, or it stays for whatever they show. */
  get waitsForSlices(): boolean {
    return this.#undone.size > 0 || this.#stays
  }

  shows(frame: Frame): boolean {
    return this.#hides === undefined || frame.turnId !== this.#hides || this.#turns.has(this.#hides)
  }

  apply(frame: Frame): void {
    if (frame.kind === 'turn') {
      for (const id of frame.messageIds ?? []) if (this.#awaits.delete(id)) this.#turns.add(frame.turnId)
      if (this.#turns.has(frame.turnId)) this.turnId = frame.turnId
    }
    if (frame.kind === 'settled' && this.#turns.delete(frame.turnId)) this.last = frame
    if (frame.kind === 'part') for (const id of frame.answers ?? []) this.#undone.delete(id)
  }
}
