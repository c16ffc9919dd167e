import { BeachError, type LiveText, type Part, type Store } from '@cool-ai/beach-core'
import { partId } from '@cool-ai/beach-core/runtime'
import type { LiveFrame } from './live.ts'

interface OpenText {
  partType: string
  text: string
}

const mostCharacters = 400_000

/** The text of the step that has not committed yet: shown as it grows, sent again to whoever asks, retracted if need be. */
export class OpenStep {
  readonly #store: Store
  readonly #session: string
  readonly #turnId: string
  readonly #epoch: number
  readonly #step: number
  readonly #texts = new Map<number, OpenText>()
  #characters = 0

  constructor(store: Store, place: { session: string; turnId: string; epoch: number; step: number }) {
    this.#store = store
    this.#session = place.session
    this.#turnId = place.turnId
    this.#epoch = place.epoch
    this.#step = place.step
  }

  add({ index, partType, delta }: LiveText): void {
    if (delta === '') return
    this.#characters += delta.length
    if (this.#characters > mostCharacters) {
      throw new BeachError('TOO_LARGE', `A step's text is longer than ${mostCharacters} characters.`)
    }
    const open = this.#texts.get(index) ?? { partType, text: '' }
    this.#texts.set(index, open)
    this.#publish(index, open.partType, open.text.length, delta)
    open.text += delta
  }

  /** Sends everything again from the beginning. */
  repeat(): void {
    for (const [index, { partType, text }] of this.#texts) this.#publish(index, partType, 0, text)
  }

  retract(): void {
    if (this.#texts.size === 0) return
    const partIds = [...this.#texts.keys()].map((index) => partId(this.#turnId, this.#step, index))
    this.#texts.clear()
    this.#characters = 0
    this.#send({ kind: 'retract', epoch: this.#epoch, turnId: this.#turnId, partIds })
  }

  /** What has been shown so far, as parts that say that they are not whole. */
  truncated(): { index: number; part: Part }[] {
    return [...this.#texts].map(([index, { partType, text }]) => ({
      index,
      part: { text, metadata: { partType, truncated: true } },
    }))
  }

  #publish(index: number, partType: string, offset: number, text: string): void {
    const id = partId(this.#turnId, this.#step, index)
    this.#send({ kind: 'delta', epoch: this.#epoch, turnId: this.#turnId, partId: id, partType, offset, text })
  }

  #send(frame: LiveFrame): void {
    this.#store.publish(this.#session, frame)
  }
}
