/** A conversation that this browser had, as its list shows it. */
export interface StoredConversation {
  readonly sessionId: string
  readonly title: string
  /** When it was last used, in milliseconds since 1970. */
  readonly at: number
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>

const maxEntries = 50
const maxTitleLength = 60

/** The conversations that this browser remembers, latest first; other tabs of the same agent share them. */
export class Conversations {
  readonly #storage: Storage
  readonly #listKey: string
  readonly #currentKey: string

  /** `path` is that of the agent's page: agents on one host share the storage. */
  constructor(storage: Storage, path = '/') {
    const suffix = path === '/' ? '' : ` ${path}`
    this.#storage = storage
    this.#listKey = `beach.conversations${suffix}`
    this.#currentKey = `beach.session${suffix}`
  }

  /** The session that a page opens with. */
  get current(): string | undefined {
    return this.#storage.getItem(this.#currentKey) ?? undefined
  }

  set current(sessionId: string | undefined) {
    if (sessionId === undefined) this.#storage.removeItem(this.#currentKey)
    else this.#storage.setItem(this.#currentKey, sessionId)
  }

  list(): readonly StoredConversation[] {
    try {
      const stored: unknown = JSON.parse(this.#storage.getItem(this.#listKey) ?? '[]')
      return Array.isArray(stored) ? stored.filter(isStored) : []
    } catch {
      return []
    }
  }

  /** Puts a conversation first; the first title that it was given stays. */
  use(sessionId: string, title: string, at: number): void {
    const all = this.list()
    const known = all.find((one) => one.sessionId === sessionId)
    const entry = { sessionId, title: known?.title ?? shortened(title), at }
    this.#keep([entry, ...all.filter((one) => one !== known)].slice(0, maxEntries))
  }

  /** Takes a conversation from the list; the agent still has it. */
  forget(sessionId: string): void {
    this.#keep(this.list().filter((one) => one.sessionId !== sessionId))
  }

  #keep(list: readonly StoredConversation[]): void {
    this.#storage.setItem(this.#listKey, JSON.stringify(list))
  }
}

function isStored(value: unknown): value is StoredConversation {
  if (typeof value !== 'object' || value === null) return false
  const { sessionId, title, at } = value as Partial<Record<keyof StoredConversation, unknown>>
  return typeof sessionId === 'string' && typeof title === 'string' && typeof at === 'number'
}

function shortened(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line
}
