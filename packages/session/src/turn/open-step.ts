import { BeachError, type LiveText, type Part, type Store } from '@cool-ai/beach-core'
import { partId } from '@cool-ai/beach-core/runtime'
import type { LiveFrame } from '../feed/live.ts'

interface OpenText extends Pick<LiveText, 'partType' | 'origin'> {
  text: string
}

const maxCharacters = 400_000

/** Where the text of a step is shown. */
export interface OpenStepPosition {
  readonly session: string
  readonly epoch: number
  readonly turnId: string
  readonly step: number
}

/** The text of the step that has not committed yet: shown as it grows, sent again on request, retracted if need be. */
export class OpenStep {
  readonly #store: Store
  readonly #place: OpenStepPosition
  readonly #texts = new Map<number, OpenText>()
  #characters = 0

  constructor(store: Store, place: OpenStepPosition) {
    this.#store = store
    this.#place = place
  }

  add({ index, partType, origin, delta }: LiveText): void {
    if (delta === '') return
    this.#characters += delta.length
    if (this.#characters > maxCharacters) {
      throw new BeachError('TOO_LARGE', `A step's text is longer than ${maxCharacters} characters.`)
    }
    const open = this.#texts.get(index) ?? { partType, origin, text: '' }
    this.#texts.set(index, open)
    const { session, epoch, turnId, step } = this.#place
    const place = { partId: partId(turnId, step, index), offset: open.text.length }
    const whose = origin === undefined ? undefined : { origin }
    const frame: LiveFrame = { kind: 'delta', epoch, turnId, partType, ...place, text: delta, ...whose }
    open.text += delta
    this.#store.publish(session, frame)
  }

  /** Sends everything again from the beginning. */
  repeat(): void {
    const shown = [...this.#texts]
    this.#texts.clear()
    this.#characters = 0
    for (const [index, { partType, origin, text }] of shown) this.add({ index, partType, origin, delta: text })
  }

  retract(): void {
    if (this.#texts.size === 0) return
    const { session, epoch, turnId, step } = this.#place
    const partIds = [...this.#texts.keys()].map((index) => partId(turnId, step, index))
    this.#texts.clear()
    this.#characters = 0
    this.#store.publish(session, { kind: 'retract', epoch, turnId, partIds } satisfies LiveFrame)
  }

  /** The shown text so far, as parts that are marked as incomplete. */
  truncated(): { index: number; part: Part }[] {
    return [...this.#texts].map(([index, { partType, text }]) => ({
      index,
      part: { text, metadata: { partType, truncated: true } },
    }))
  }
}

// Beyond any part that a step can have: text of tools has ids of its own.
const firstIndex = 10_000
const maxToolCharacters = 200_000

interface ToolText extends OpenText {
  readonly name: string
}

/**
 * Text that tools show while it grows, each under a name. It is shown in the open step and, whenever a step commits,
 * again in the next one, until the tool emits it as a whole or retracts it.
 */
export class ToolTexts {
  readonly #open: () => OpenStep
  #texts: ToolText[] = []
  #step: OpenStep

  /** `open` gives an open step of its own for the step that is written next. */
  constructor(open: () => OpenStep) {
    this.#open = open
    this.#step = open()
  }

  /** Text beyond the limit is not shown: it comes when the tool emits it as a whole. */
  add(name: string, { partType, origin, delta }: Omit<LiveText, 'index'>): void {
    const shown = this.#texts.reduce((sum, { text }) => sum + text.length, 0)
    if (delta === '' || shown + delta.length > maxToolCharacters) return
    let text = this.#texts.find((one) => one.name === name)
    if (text === undefined) {
      text = { name, partType, origin, text: '' }
      this.#texts.push(text)
    }
    text.text += delta
    this.#step.add({ ...text, index: firstIndex + this.#texts.indexOf(text), delta })
  }

  /** Retracts what was shown under a name; the text of other tools stays. */
  retract(name: string): void {
    this.#keep((one) => one.name !== name)
  }

  /** A call has ended: text that it has not emitted as a whole is retracted. */
  ended(callId: string): void {
    this.#keep(({ name }) => !name.startsWith(`${callId}:@`))
  }

  /**
   * A part that is emitted at a place replaces the text that was shown under its name, or under the beginning of it.
   */
  said(place: string): void {
    this.#texts = this.#texts.filter(({ name }) => place !== name && !place.startsWith(`${name}.`))
  }

  /** A step has been committed: what is still growing goes on in the next one, if there is to be one. */
  next(goesOn: boolean): void {
    this.#step = this.#open()
    if (goesOn) this.#showAll()
    else this.#texts = []
  }

  /** Shows everything again from the beginning. */
  repeat(): void {
    this.#step.repeat()
  }

  #keep(isKept: (text: ToolText) => boolean): void {
    const kept = this.#texts.filter(isKept)
    if (kept.length === this.#texts.length) return
    this.#texts = kept
    this.#step.retract()
    this.#showAll()
  }

  #showAll(): void {
    this.#texts.forEach((text, index) => {
      this.#step.add({ ...text, index: firstIndex + index, delta: text.text })
    })
  }
}
