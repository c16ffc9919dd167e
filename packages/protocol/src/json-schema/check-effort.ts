import { BeachError } from '@cool-ai/beach-core'

// Schemas can choose between schemas that choose between schemas; the effort is bounded.
const maxSteps = 1_000_000
// To look at this many characters takes about as long as a step.
const charactersInStep = 100
// A step of a pattern takes longer than to look at a character: all of them together take less than half a second.
const maxPatternSteps = 5_000_000

/** What the check of one value has cost so far. Throws as soon as that is too much. */
export class CheckEffort {
  #steps = 0
  #patternSteps = 0

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) throw tooLong()
  }

  /** How many more steps patterns may take; one more than that is too much. */
  get patternStepsLeft(): number {
    return maxPatternSteps - this.#patternSteps
  }

  patternSteps(count: number): void {
    this.#patternSteps += count
    if (this.#patternSteps > maxPatternSteps) throw tooLong()
  }

  characters(count: number): void {
    this.spend(count / charactersInStep)
  }

  /** For what looks at all of a value. */
  whole(value: unknown): void {
    this.spend(1)
    if (typeof value === 'string') this.characters(value.length)
    if (Array.isArray(value)) for (const item of value) this.whole(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        this.characters(key.length)
        this.whole(member)
      }
    }
  }
}

function tooLong(): BeachError {
  return new BeachError('INVALID_CONFIGURATION', 'A JSON Schema takes too long to check.')
}
