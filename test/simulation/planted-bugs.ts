import type { Store } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { Conflict } from '@cool-ai/beach-core/ports'
import type { PostgresBug } from './postgres-model.ts'
import type { PlantedBug } from './simulation.ts'

/** Bugs that the simulator must find; each changes what a store does with appended events. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'an answer that is delivered twice': changing((events) =>
    events.flatMap((event): SessionEvent[] =>
      event.type === 'deliveryQueued' ? [event, { ...event, deliveryId: `${event.deliveryId}:again` }] : [event],
    ),
  ),
  'a part that is said twice': changing((events) =>
    events.flatMap((event) =>
      event.type === 'partReceived' && event.partType === 'response' ? [event, event] : [event],
    ),
  ),
  'a result that gets lost': changing((events) => events.filter((event) => event.type !== 'slotFilled')),
  'a wake-up that gets lost': (store) =>
    replacing(store, (session, expected, events) => store.append(session, expected, events)),
  'a fence that was forgotten': changing((events) => {
    // In place: the process that appends must not know better than the log.
    for (const event of events as { epoch?: number }[]) if (event.epoch !== undefined) event.epoch = 1
    return events
  }),
  'an approval that is not atomic': (store) => replacing(store, withoutCompareAndSet(store)),
  'a duplicate that is not recognised': changing((events) =>
    events.map((event) => {
      if (event.type !== 'messageReceived') return event
      const { dedupeKey: _, ...rest } = event
      return rest
    }),
  ),
  'an answer that is not stored': changing((events) =>
    events.filter((event) => event.type !== 'stepCommitted' && event.type !== 'toolStarted'),
  ),
}

/** Bugs of a store whose connections break and whose notifications get lost; a shared store cannot have them. */
export const postgresBugs: Readonly<Record<string, PostgresBug>> = {
  'an append that is made again when its acknowledgement is lost': 'repeats what was done',
  'a follower that waits for a notification which is lost': 'trusts notifications',
}

type Append = Store['append']

function changing(change: (events: SessionEvent[]) => SessionEvent[]): PlantedBug {
  return (store) =>
    replacing(store, (session, expected, events, wakeAt) =>
      store.append(session, expected, change(events as SessionEvent[]), wakeAt),
    )
}

function withoutCompareAndSet(store: Store): Append {
  return async (session, expected, events, wakeAt) => {
    try {
      return await store.append(session, expected, events, wakeAt)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      return store.append(session, error.head, events, wakeAt)
    }
  }
}

/** The store with another `append`. */
function replacing(store: Store, append: Append): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
