import type { OpenStep } from './open-step.ts'

// Beyond any part that a step can have: text of tools has ids that are nobody else's.
const firstIndex = 10_000

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

  add(name: string, partType: string, delta: string): void {
    if (delta === '') return
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
    if (!this.#texts.some((one) => one.name === name)) return
    this.said(name)
    this.#step.retract()
    this.#showAll()
  }

  /** What is said at a place takes the place of what was shown under its name, or under the beginning of it. */
  said(place: string): void {
    this.#texts = this.#texts.filter(({ name }) => place !== name && !place.startsWith(`${name}.`))
  }

  /** A step has been committed: what is still growing goes on in the next one. */
  next(): void {
    this.#step = this.#open()
    this.#showAll()
  }

  /** Shows everything again from the beginning. */
  repeat(): void {
    this.#step.repeat()
  }

  #showAll(): void {
    this.#texts.forEach(({ partType, text }, index) => {
      this.#step.add({ index: firstIndex + index, partType, delta: text })
    })
  }
}
