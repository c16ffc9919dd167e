import type { Store } from '@cool-ai/beach-core'
import { Conflict } from '@cool-ai/beach-core/ports'
import { conversationCount, foldPerson, emptyPersonState, type PersonEvent, type PersonState } from './person-state.ts'

interface Known {
  readonly state: PersonState
  readonly head: number
}

const foldVersion = 1
const eventsPerSnapshot = 64
const maxKnown = 2_000
const maxConflicts = 50

/** What a channel remembers of each person, as a log of its own in the store: shared by all processes, kept over restarts. */
export class PersonLog {
  readonly #store: Store
  readonly #prefix: string
  readonly #known = new Map<string, Known>()

  constructor(store: Store, transport: string, tenant: string) {
    this.#store = store
    this.#prefix = `person:${transport}:${encodeURIComponent(tenant)}:`
  }

  async load(person: string): Promise<PersonState> {
    return (await this.#read(person)).state
  }

  /** Appends what is decided on the present state, if anything is; returns the state after it. */
  async commit(person: string, decide: (state: PersonState) => readonly PersonEvent[]): Promise<PersonState> {
    for (let conflicts = 0; ; conflicts++) {
      const before = await this.#read(person)
      const events = decide(before.state)
      if (events.length === 0) return before.state
      try {
        const head = await this.#store.append(this.#prefix + person, before.head, events)
        const state = events.reduce(foldPerson, before.state)
        this.#remember(person, { state, head })
        await this.#snapshot(person, before.head, { state, head })
        return state
      } catch (error) {
        if (!(error instanceof Conflict) || conflicts >= maxConflicts) throw error
      }
    }
  }

  /**
   * Forgets a person: other processes learn it by an event, and everything before that is erased from the log. Only the
   * number of conversations stays, so that the next one is not taken for one that was erased.
   */
  async forget(person: string): Promise<void> {
    if ((await this.#read(person)).head === 0) return
    const name = this.#prefix + person
    await this.commit(person, (state) => [{ type: 'forgotten', ended: conversationCount(state) }])
    const events = await this.#store.read(name, 0)
    const last = events.findLastIndex(({ data }) => (data as PersonEvent).type === 'forgotten')
    const gone: PersonEvent = { type: 'forgotten', ended: 0 }
    await this.#store.erase(
      name,
      events.slice(0, last).map(({ seq }) => ({ seq, data: gone })),
    )
  }

  /** Takes a name out of what is remembered of a place where others are too, such as a thread; the rest stays. */
  async unname(person: string, name: string): Promise<void> {
    const log = this.#prefix + person
    const changed = (await this.#store.read(log, 0)).flatMap(({ seq, data }) => {
      const left = withoutName(data, name)
      return left === data ? [] : [{ seq, data: left }]
    })
    if (changed.length === 0) return
    await this.#store.erase(log, changed)
    this.#known.delete(person)
  }

  async #read(person: string): Promise<Known> {
    const name = this.#prefix + person
    const known = this.#known.get(person) ?? (await this.#saved(name))
    const events = await this.#store.read(name, known.head)
    const last = events.at(-1)
    if (last === undefined) return known
    const state = events.reduce((folded, { data }) => foldPerson(folded, data as PersonEvent), known.state)
    const read = { state, head: last.seq }
    this.#remember(person, read)
    return read
  }

  async #saved(name: string): Promise<Known> {
    const saved = await this.#store.loadSnapshot(name)
    if (saved?.foldVersion !== foldVersion) return { state: emptyPersonState, head: 0 }
    return { state: saved.state as PersonState, head: saved.seq }
  }

  async #snapshot(person: string, from: number, { state, head }: Known): Promise<void> {
    if (Math.floor(from / eventsPerSnapshot) === Math.floor(head / eventsPerSnapshot)) return
    await this.#store.saveSnapshot(this.#prefix + person, head, foldVersion, state)
  }

  /** The longest idle ones are read again when they are needed. */
  #remember(person: string, known: Known): void {
    this.#known.delete(person)
    this.#known.set(person, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** The same value with nothing in place of texts that are this name, or end with it as keys of principals do. */
function withoutName(value: unknown, name: string): unknown {
  if (typeof value === 'string') return value === name || value.endsWith(`~${encodeURIComponent(name)}`) ? '' : value
  if (Array.isArray(value))
    return value.some((one) => withoutName(one, name) !== one) ? value.map((one) => withoutName(one, name)) : value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, withoutName(one, name)] as const)
  const before = value as Readonly<Record<string, unknown>>
  return entries.some(([key, one]) => one !== before[key]) ? Object.fromEntries(entries) : value
}
