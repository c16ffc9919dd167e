import { createHash } from 'node:crypto'
import { BeachError, type Principal, type Runtime, type Store } from '@cool-ai/beach-core'
import { principalAddress, parseAddress, valueOf, type Address } from '../identities/address.ts'
import type { IdentityStore } from '../identities/identity-store.ts'
import { MemoryLog, type MemoryOwner } from './memory-log.ts'
import { bestFirst } from './memory-search.ts'
import { memoryText, type Memory, type MemoryConsent, type MemoryLimits, type MemoryState } from './memory-state.ts'

/** Where memories are kept, and how much of one person. */
export interface MemoriesOptions extends MemoryLimits {
  readonly store: Store
  readonly runtime: Runtime
  /** By which all principals of one person count as the same; each stands alone when left out. */
  readonly identities?: Pick<IdentityStore, 'personOf'> | undefined
}

/** All that is remembered of a person. */
export interface PersonMemory {
  /** Absent where the person has not agreed, or does not any more. */
  readonly consent?: MemoryConsent | undefined
  /** When the person last refused. */
  readonly refusedAt?: number | undefined
  /** Oldest first. */
  readonly entries: readonly Memory[]
}

interface Part {
  readonly log: MemoryLog
  readonly state: MemoryState
}

interface Whole extends PersonMemory {
  readonly parts: readonly Part[]
}

/**
 * What an agent remembers of people across their sessions. It belongs to one person of one tenant, is kept only while
 * that person agrees, and has the origins of the content that it came from.
 */
export class Memories {
  readonly #options: MemoriesOptions
  readonly #maxEntries: number
  readonly #maxCharacters: number

  constructor(options: MemoriesOptions) {
    const { maxEntries = 200, maxCharacters = 1_000 } = options
    for (const [name, value] of Object.entries({ maxEntries, maxCharacters })) {
      if (Number.isInteger(value) && value > 0 && value <= 10_000) continue
      throw new BeachError('INVALID_CONFIGURATION', `\`memory.${name}\` is a whole number from 1 to 10,000.`)
    }
    this.#options = options
    this.#maxEntries = maxEntries
    this.#maxCharacters = maxCharacters
  }

  /** What is remembered of the caller or, for operators, of the person with an address such as `email:ann@example.com`. */
  async of(by: Principal, person?: Address): Promise<PersonMemory> {
    const { consent, refusedAt, entries } = await this.#whole(by, person)
    return { consent, refusedAt, entries }
  }

  /** Puts on record that the person agrees; the application vouches that they do. */
  async consent(by: Principal, { via }: { readonly via?: string | undefined } = {}): Promise<void> {
    requirePerson(by)
    await this.#logOf(by).commit(() => ({ type: 'consented', at: this.#now(), via }))
  }

  /**
   * The person does not agree, or not any more: all that is remembered is erased, and nothing is remembered until they
   * agree again. For the person, and operators.
   */
  async refuse(
    by: Principal,
    { via, person }: { readonly via?: string | undefined; readonly person?: Address | undefined } = {},
  ): Promise<void> {
    const { parts } = await this.#whole(by, person)
    const at = this.#now()
    for (const { log } of parts) {
      await log.commit(() => ({ type: 'refused', at, via }))
      await log.load()
    }
  }

  /** Keeps a text. The same `key` is the same entry, and a text that is known already is not kept twice. */
  async remember(
    by: Principal,
    said: {
      readonly text: string
      readonly key: string
      readonly sessionId: string
      readonly origins?: readonly string[] | undefined
    },
  ): Promise<Memory> {
    requirePerson(by)
    const whole = memoryText(said.text, this.#maxCharacters)
    const text = this.#options.runtime.secrets?.text(whole) ?? whole
    const { consent, entries, parts } = await this.#whole(by)
    if (consent === undefined) throw notAgreed()
    const { sessionId, origins = [] } = said
    const id = `mem_${createHash('sha256').update(said.key).digest('hex').slice(0, 16)}`
    // What a person says themselves is kept besides the same words of others.
    const isCovered = (entry: Memory) => entry.text === text && entry.origins.every((one) => origins.includes(one))
    const same = (entry: Memory) => entry.id === id || isCovered(entry)
    const before = parts[0]?.state
    const known = entries.find(same)
    if (known !== undefined) return known
    const others = entries.length
    const entry: Memory = { id, at: this.#now(), text, origins, sessionId }
    const state = await this.#logOf(by).commit((now) => {
      if (now.entries.some(same)) return undefined
      if (Math.max(others, now.entries.length) >= this.#maxEntries) {
        throw new BeachError(
          'TOO_MANY',
          `${this.#maxEntries} things are remembered of this person, which is the most. Forget some first.`,
        )
      }
      // A refusal that came in between stands in the logs of all of the person's principals.
      const isRefused = now.refusedAt !== before?.refusedAt || (before?.consent && now.consent === undefined)
      if (isRefused === true) throw notAgreed()
      return { type: 'remembered', ...entry }
    })
    return state.entries.find(same) ?? entry
  }

  /** Entries with any of the words of a text, those with the most of them first; without a text the newest first. */
  async recall(by: Principal, { text, limit = 20 }: { readonly text?: string | undefined; readonly limit?: number }) {
    const { consent, entries } = await this.#whole(by)
    const found = consent === undefined ? [] : bestFirst(entries, text)
    return { entries: found.slice(0, limit), more: found.length > limit }
  }

  /** Takes entries out for good; returns how many of these ids there were. */
  async forget(by: Principal, ids: readonly string[], person?: Address): Promise<number> {
    const { parts } = await this.#whole(by, person)
    let count = 0
    for (const { log, state } of parts) {
      const seqs = state.entries.filter(({ id }) => ids.includes(id)).map(({ seq }) => seq)
      await log.erase(seqs)
      count += seqs.length
    }
    return count
  }

  async #whole(by: Principal, person?: Address): Promise<Whole> {
    const { store } = this.#options
    const owners = await this.#principals(by, person)
    const parts: Part[] = []
    let consent: MemoryConsent | undefined
    let refusedAt: number | undefined
    for (const owner of owners) {
      const log = new MemoryLog(store, owner)
      const state = await log.load()
      parts.push({ log, state })
      if (state.consent !== undefined && state.consent.at > (consent?.at ?? -1)) consent = state.consent
      if (state.refusedAt !== undefined) refusedAt = Math.max(refusedAt ?? 0, state.refusedAt)
    }
    // Of several principals of one person the last word counts.
    if (consent !== undefined && refusedAt !== undefined && refusedAt > consent.at) consent = undefined
    const entries = parts.flatMap(({ state }) => state.entries.map(({ seq: _, ...entry }): Memory => entry))
    return { consent, refusedAt, parts, entries: entries.toSorted((a, b) => a.at - b.at) }
  }

  /** All principals that are known to be one person, the caller's own first. */
  async #principals(by: Principal, person?: Address): Promise<readonly MemoryOwner[]> {
    const { tenant } = by
    if (person !== undefined && by.kind !== 'operator') {
      throw new BeachError('FORBIDDEN', 'Only operators can see what is remembered of another person.')
    }
    const address = person === undefined ? principalAddress(by) : parseAddress(person)
    const all = (await this.#options.identities?.personOf(tenant, address))?.addresses ?? []
    return ownersAt([address, ...all], tenant)
  }

  #logOf(owner: MemoryOwner): MemoryLog {
    return new MemoryLog(this.#options.store, owner)
  }

  #now(): number {
    return this.#options.runtime.clock.now()
  }
}

/** The principals among some addresses, each once. */
export function ownersAt(addresses: readonly Address[], tenant: string): readonly MemoryOwner[] {
  const principals = new Set(addresses.filter((address) => address.startsWith('principal:')).map(valueOf))
  return [...principals].flatMap((key) => {
    const [kind, id] = key.split('~').map(decodeURIComponent)
    return isPerson(kind) ? [{ kind, id: id ?? '', tenant }] : []
  })
}

function isPerson(kind: string | undefined): kind is 'user' | 'anonymous' {
  return kind === 'user' || kind === 'anonymous'
}

function notAgreed(): BeachError {
  return new BeachError('FORBIDDEN', 'The person has not agreed that this is remembered, or does not any more.')
}

/** A peer speaks for many people, and an operator is none of them: what they say is remembered of no person. */
export function requirePerson({ kind }: Principal): void {
  if (isPerson(kind)) return
  throw new BeachError('FORBIDDEN', `Only what people say is remembered, and this is a session of kind '${kind}'.`)
}
