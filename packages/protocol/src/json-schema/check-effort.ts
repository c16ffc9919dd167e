import { BeachError } from '@cool-ai/beach-core'

// Schemas can choose between schemas that choose between schemas; nobody waits for all of it.
const mostSteps = 1_000_000
// To look at this many characters takes about as long as a step.
const charactersInStep = 100

/** What the check of one value has cost so far. Throws as soon as that is too much. */
export class CheckEffort {
  #steps = 0

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > mostSteps) throw new BeachError('INVALID_CONFIGURATION', 'A JSON Schema takes too long to check.')
  }

  /** How many more characters may be looked at; one more than that is too much. */
  get charactersLeft(): number {
    return (mostSteps - this.#steps) * charactersInStep
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
