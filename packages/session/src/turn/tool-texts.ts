import type { OpenStep } from './open-step.ts'

// Beyond any part that a step can have: text of tools has ids that are nobody else's.
const firstIndex = 10_000
const mostCharacters = 200_000

interface ToolText {
  readonly name: string
  readonly partType: string
  text: string
}

/**
 * Text that tools show while it grows, each under a name. It is shown in the open step and, whenever a step commits,
 * again in the next one, until the tool says it as a whole or takes it back.
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

  /** What would be too much is not shown: it comes when the tool says it as a whole. */
  add(name: string, partType: string, delta: string): void {
    const shown = this.#texts.reduce((sum, { text }) => sum + text.length, 0)
    if (delta === '' || shown + delta.length > mostCharacters) return
    let text = this.#texts.find((one) => one.name === name)
    if (text === undefined) {
      text = { name, partType, text: '' }
      this.#texts.push(text)
    }
    text.text += delta
    this.#step.add({ index: firstIndex + this.#texts.indexOf(text), partType: text.partType, delta })
  }

  /** Takes back what was shown under a name; what other tools show stays. */
  retract(name: string): void {
    this.#keep((one) => one.name !== name)
  }

  /** A call has ended: what it has not said as a whole is taken back. */
  ended(callId: string): void {
    this.#keep(({ name }) => !name.startsWith(`${callId}:@`))
  }

  /** What is said at a place takes the place of what was shown under its name, or under the beginning of it. */
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
    this.#texts.forEach(({ partType, text }, index) => {
      this.#step.add({ index: firstIndex + index, partType, delta: text })
    })
  }
}
