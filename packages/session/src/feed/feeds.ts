import type { Runtime, Store } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type EventRouter, type SessionLog } from '@cool-ai/beach-core/log'
import { CompactingMap } from '@cool-ai/beach-core/runtime'
import { Feed, type Joined } from './feed.ts'
import { ListenerState } from './listener-state.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import type { Viewer } from './viewer.ts'

export interface FeedsOptions {
  readonly store: Store
  readonly log: SessionLog
  readonly runtime: Runtime
  readonly router: EventRouter
}

/** The feeds of this process, one for each followed session. */
export class Feeds {
  readonly #options: FeedsOptions
  readonly #feeds = new CompactingMap<string, Promise<Feed>>()

  constructor(options: FeedsOptions) {
    this.#options = options
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
    const { store, log, router, runtime } = this.#options
    const starting = log.load(session, atLeast).then((record) => {
      const { turn } = sliceState(turnSlice, record.state)
      const { epoch } = sliceState(sessionSlice, record.state)
      const feed = new Feed(store, session, {
        head: record.head,
        epoch,
        steps: turn?.steps.length ?? 0,
        listenerState: new ListenerState(router.coordinates(record.state), record.head),
        turnId: turn?.turnId,
      })
      const forget = () => {
        if (this.#feeds.get(session) === starting) this.#feeds.delete(session)
      }
      feed.run().then(forget, (error: unknown) => {
        forget()
        runtime.logger.log('error', 'following a session failed', { session, error })
      })
      return feed
    })
    this.#feeds.set(session, starting)
    starting.catch(() => this.#feeds.delete(session))
    return starting
  }
}
