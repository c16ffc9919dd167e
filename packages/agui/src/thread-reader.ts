import { isBeachError, type Sessions } from '@cool-ai/beach-core'
import { LruMap } from '@cool-ai/beach-core/runtime'
import { Thread } from './thread.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

interface Reading {
  readonly thread: Thread
  /** The last reader; two at once would fold events twice. */
  last: Promise<unknown>
}

const maxThreads = 50
const maxShown = 10_000

/** Reads threads out of their sessions' logs. What was read is remembered for a while: the log only grows. */
export class ThreadReader {
  readonly #sessions: Sessions
  readonly #readings = new LruMap<Reading>(maxThreads)
  /** How far the last run of a thread has come that a client followed. */
  readonly #shown = new LruMap<string>(maxShown)

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  /** The thread as it stands now; undefined when there is no such session. */
  read(place: ThreadSession): Promise<Thread | undefined> {
    const { id } = place.viewer
    const reading = this.#readings.get(id) ?? { thread: new Thread(id), last: Promise.resolve() }
    this.#readings.set(id, reading)
    const read = reading.last.then(() => this.#readOn(place, reading.thread))
    reading.last = read.catch(() => {})
    return read
  }

  noteShown({ session }: ThreadSession, cursor: string): void {
    this.#shown.set(session, cursor)
  }

  /** How far the last run that was shown here has come; undefined when that is not known any more. */
  shownUpTo({ session }: ThreadSession): string | undefined {
    return this.#shown.get(session)
  }

  async #readOn({ session, viewer }: ThreadSession, thread: Thread): Promise<Thread | undefined> {
    try {
      for await (const frame of this.#sessions.history(session, viewer, thread.cursor)) thread.apply(frame)
      return thread
    } catch (error) {
      if (!isBeachError(error, 'NOT_FOUND')) throw error
      this.#readings.delete(viewer.id)
      return undefined
    }
  }
}
