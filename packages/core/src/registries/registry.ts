import { BeachError } from '../errors.ts'
import { createLogger, type Logger } from '../logger.ts'
import { isSame } from './same.ts'

/** What every registered thing has. Canonical ones come with Beach; the others are the consumer's. */
export interface RegistryEntry {
  readonly id: string
  readonly isCanonical: boolean
}

/** What a registry reports to. */
export interface RegistryOptions {
  /** Where warnings about a doubtful registration go. */
  readonly logger?: Logger | undefined
}

const maxIdLength = 128
const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*$/

/** An open set of named things with a canonical core: consumers add theirs at start-up, existing entries do not change. */
export abstract class Registry<Registration, Entry extends RegistryEntry> {
  /** What is registered here, as messages call it: `part type`. */
  protected abstract readonly noun: string
  protected readonly logger: Logger
  readonly #entries = new Map<string, Entry>()
  readonly #base: Registry<Registration, Entry> | undefined

  /** With a base, everything that is registered there is also here, at any time; what is registered here is not there. */
  constructor(options: RegistryOptions = {}, base?: Registry<Registration, Entry>) {
    this.logger = options.logger ?? createLogger()
    this.#base = base
  }

  /** The entry in its one form, or an error that says what is wrong with the registration. */
  protected abstract toEntry(registration: Registration): Entry

  /** Adds an entry. The same one again changes nothing; another one under the same id is refused. */
  register(registration: Registration): Entry {
    const entry = Object.freeze(this.toEntry(registration))
    const existing = this.get(entry.id)
    if (existing === undefined) return this.put(entry)
    const difference = firstDifference(entry, existing)
    if (difference === undefined) return existing
    const taken = existing.isCanonical ? 'is a canonical one' : 'is already registered'
    throw this.refusal(
      entry.id,
      `${taken} with another '${difference}'. Choose another id, such as 'yourapp.${entry.id}'.`,
    )
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id) ?? this.#base?.get(id)
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  ids(): string[] {
    return [...new Set([...(this.#base?.ids() ?? []), ...this.#entries.keys()])]
  }

  entries(): Entry[] {
    return this.ids().flatMap((id) => this.get(id) ?? [])
  }

  protected put(entry: Entry): Entry {
    this.#entries.set(entry.id, entry)
    return entry
  }

  /** The id, when it is one that every transport can carry as it is. */
  protected checkedId(id: unknown): string {
    if (typeof id !== 'string') throw this.refusal(undefined, 'has no id: give one as a string.')
    if (id.length > maxIdLength) {
      throw this.refusal(
        `${id.slice(0, 20)}…`,
        `has an id of ${id.length} characters; at most ${maxIdLength} are allowed.`,
      )
    }
    if (!idPattern.test(id)) {
      throw this.refusal(
        id,
        "has a malformed id: use letters, digits, '-' and '_', with '.' between a namespace and a name.",
      )
    }
    return id
  }

  protected checkedKeys(id: string, registration: object, known: readonly string[]): void {
    const unknown = Object.keys(registration).find((key) => !known.includes(key))
    if (unknown === undefined) return
    throw this.refusal(id, `has the unknown field '${unknown}'. Known are: ${known.join(', ')}.`)
  }

  protected refusal(id: string | undefined, problem: string): BeachError {
    const subject = id === undefined ? `The ${this.noun}` : `The ${this.noun} '${id}'`
    return new BeachError('INVALID_REGISTRATION', `${subject} ${problem}`, { details: { id } })
  }
}

// `isCanonical` is not compared: who registered an entry does not make it another one.
function firstDifference(given: RegistryEntry, existing: RegistryEntry): string | undefined {
  const one: Record<string, unknown> = { ...given, isCanonical: undefined }
  const other: Record<string, unknown> = { ...existing, isCanonical: undefined }
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].find((key) => !isSame(one[key], other[key]))
}
