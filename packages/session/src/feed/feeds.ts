import type { Coordinates, Runtime, Store } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type SessionLog, type SessionState } from '@cool-ai/beach-core/log'
import { CompactingMap } from '@cool-ai/beach-core/runtime'
import { Feed, type Joined } from './feed.ts'
import { ListenerState } from './listener-state.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import type { Viewer } from './viewer.ts'

export interface FeedsOptions {
  readonly store: Store
  readonly log: SessionLog
  readonly runtime: Runtime
  /** Where the application's state machines stand. */
  readonly coordinates: (state: SessionState) => Coordinates
}

/** The feeds of this process, one for each followed session. */
export class Feeds {
  readonly #store: Store
  readonly #log: SessionLog
  readonly #runtime: Runtime
  readonly #coordinates: FeedsOptions['coordinates']
  readonly #feeds = new CompactingMap<string, Promise<Feed>>()

  constructor(options: FeedsOptions) {
    this.#store = options.store
    this.#log = options.log
    this.#runtime = options.runtime
    this.#coordinates = options.coordinates
  }

  /** Joins the session's feed where it has come to a seq, starting it for the first follower; call `leave` in the end. */
  async join(session: string, atLeast: number, viewer: Viewer): Promise<Joined & { leave(): void }> {
    const starting = this.#feeds.get(session) ?? this.#start(session, atLeast)
    const feed = await starting
    await feed.reached(atLeast)
    // Its last viewer may have left while we waited: then there is another one to join.
    if (feed.ended) return this.join(session, atLeast, viewer)
    return {
      ...feed.join(viewer),
      leave: () => {
        if (feed.leave(viewer) && this.#feeds.get(session) === starting) this.#feeds.delete(session)
      },
    }
  }

  #start(session: string, atLeast: number): Promise<Feed> {
    const starting = this.#log.load(session, atLeast).then((record) => {
      const { turn } = sliceState(turnSlice, record.state)
      const { epoch } = sliceState(sessionSlice, record.state)
      const feed = new Feed(this.#store, session, {
        head: record.head,
        epoch,
        steps: turn?.steps.length ?? 0,
        listenerState: new ListenerState(this.#coordinates(record.state), record.head),
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
