import type { OpenedSession } from './open-session.ts'

/** Where a browser keeps which conversation it had. */
export type SessionStorageOf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Remembers the conversation that a browser had with one agent; without a storage, and where that is full or forbidden, for this page only. */
export class RememberedSession {
  readonly #key: string
  readonly #storage: SessionStorageOf | undefined

  constructor(place: string, storage: SessionStorageOf | undefined) {
    this.#key = `beach.conversation ${place}`
    this.#storage = storage
  }

  get(): OpenedSession | undefined {
    try {
      const stored: unknown = JSON.parse(this.#storage?.getItem(this.#key) ?? 'null')
      return isSession(stored) ? stored : undefined
    } catch {
      return undefined
    }
  }

  set(session: OpenedSession | undefined): void {
    try {
      if (session === undefined) this.#storage?.removeItem(this.#key)
      else this.#storage?.setItem(this.#key, JSON.stringify(session))
    } catch {
      // What cannot be kept is gone with the page.
    }
  }
}

function isSession(value: unknown): value is OpenedSession {
  if (typeof value !== 'object' || value === null) return false
  const { sessionId, token, refreshToken } = value as Partial<Record<keyof OpenedSession, unknown>>
  return typeof sessionId === 'string' && [token, refreshToken].every(isTextOrNone)
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
