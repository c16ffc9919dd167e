import { sessionSlice, sliceState, type Runtime, type SessionLog, type Store } from '@cool-ai/beach-core'
import { Feed, type Joined } from './feed.ts'
import { turnSlice } from './turn-slice.ts'
import type { ViewerLimits } from './viewer.ts'

/** The feeds of this process, one for each session that somebody follows. */
export class Feeds {
  readonly #store: Store
  readonly #log: SessionLog
  readonly #runtime: Runtime
  readonly #feeds = new Map<string, Promise<Feed>>()

  constructor(options: { store: Store; log: SessionLog; runtime: Runtime }) {
    this.#store = options.store
    this.#log = options.log
    this.#runtime = options.runtime
  }

  /** Joins the session's feed, starting it when nobody follows yet; call `leave` in the end. */
  async join(session: string, limits?: ViewerLimits): Promise<Joined & { leave(): void }> {
    const starting = this.#feeds.get(session) ?? this.#start(session)
    const feed = await starting
    // Its last viewer may have left while we waited: then there is another one to join.
    if (feed.ended) return this.join(session, limits)
    const joined = feed.join(limits)
    return {
      ...joined,
      leave: () => {
        if (feed.leave(joined.viewer) && this.#feeds.get(session) === starting) this.#feeds.delete(session)
      },
    }
  }

  #start(session: string): Promise<Feed> {
    const starting = this.#log.load(session).then((record) => {
      const { turn } = sliceState(turnSlice, record.state)
      const { epoch } = sliceState(sessionSlice, record.state)
      const feed = new Feed(this.#store, session, {
        head: record.head,
        epoch,
        steps: turn?.steps.length ?? 0,
        ...(turn && { turnId: turn.turnId }),
      })
      const forget = () => {
        if (this.#feeds.get(session) === starting) this.#feeds.delete(session)
      }
      feed.run().then(forget, (error: unknown) => {
        forget()
        this.#runtime.logger.log('error', 'following a session failed', { session, error })
      })
      return feed
    })
    this.#feeds.set(session, starting)
    starting.catch(() => this.#feeds.delete(session))
    return starting
  }
}
