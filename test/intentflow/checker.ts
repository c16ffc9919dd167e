import { isDeepStrictEqual } from 'node:util'
import { EventType, type BaseEvent } from '@ag-ui/core'
import { applyServerEvent, serverEventSchema, statePatchOf, type ActiveFlows, type ServerEvent } from '@intentflow/core'

interface Custom extends BaseEvent {
  readonly name: string
  readonly value: unknown
}

interface Delta extends BaseEvent {
  readonly delta: unknown
}

interface Snapshot extends BaseEvent {
  readonly snapshot: { readonly activeFlows?: ActiveFlows }
}

/**
 * Follows a thread run by run and says what is wrong with what its client is told: events that are not IntentFlow's, out
 * of order, with gaps, the same id twice for different things, patches that do not go with their events, and a state that
 * is not what the events come to.
 */
export class FlowChecker {
  readonly problems: string[] = []
  readonly #events = new Map<string, string>()
  #flows: ActiveFlows = {}
  #isKnown = false

  /** The events of one run, and the state that the client holds after it. */
  run(events: readonly BaseEvent[], state: unknown): void {
    let expected: ServerEvent | undefined
    for (const event of events) {
      if (event.type === EventType.STATE_DELTA) this.#patch(event as Delta, expected)
      else if (expected !== undefined) this.#say(`${expected.name} is not followed by its STATE_DELTA`)
      expected = undefined
      if (event.type === EventType.STATE_SNAPSHOT) this.#snapshot(event as Snapshot)
      if (event.type === EventType.CUSTOM) expected = this.#custom(event as Custom)
    }
    const { activeFlows = {} } = (state ?? {}) as { activeFlows?: ActiveFlows }
    if (!isDeepStrictEqual(activeFlows, this.#flows)) {
      this.#say(`the client has ${JSON.stringify(activeFlows)}, but the events come to ${JSON.stringify(this.#flows)}`)
    }
  }

  #snapshot({ snapshot }: Snapshot): void {
    const { activeFlows = {} } = snapshot
    // What happened without a listener comes after the snapshot that has it already.
    this.#flows = activeFlows
    this.#isKnown = true
  }

  /** The event whose patch must follow. */
  #custom({ name, value }: Custom): ServerEvent | undefined {
    if (!name.startsWith('intentflow.') || name === 'intentflow.results') return undefined
    const parsed = serverEventSchema.safeParse({ type: 'CUSTOM', name, value })
    if (!parsed.success) {
      this.#say(`${name} is wrong: ${parsed.error.message}`)
      return undefined
    }
    const event = parsed.data
    if (!this.#isKnown) this.#say(`${name} comes before the snapshot`)
    const { eventId } = event.value
    if (eventId === undefined) this.#say(`${name} has no eventId`)
    else this.#seen(eventId, event)
    if (statePatchOf(event).length === 0) return undefined
    const before = this.#flows
    this.#flows = applyServerEvent(before, event)
    if (this.#flows !== before) return event
    this.#old(event)
    return undefined
  }

  /** The same event may come again, but not another one with its id. */
  #seen(eventId: string, event: ServerEvent): void {
    const text = JSON.stringify(event)
    const before = this.#events.get(eventId)
    if (before !== undefined && before !== text) this.#say(`two events have the id ${eventId}`)
    this.#events.set(eventId, text)
  }

  /** What changes nothing must be known already. */
  #old(event: ServerEvent): void {
    const { instanceId, seq } = event.value as { instanceId: string; seq?: number }
    const known = this.#flows[instanceId]
    if (known !== undefined && (seq ?? 0) > known.seq) {
      this.#say(`${event.name} of ${instanceId} has seq ${seq} after ${known.seq}`)
    }
  }

  #patch({ delta }: Delta, event: ServerEvent | undefined): void {
    if (event === undefined) return
    if (!isDeepStrictEqual(delta, statePatchOf(event)))
      this.#say(`the patch of ${event.name} is another: ${JSON.stringify(delta)}`)
  }

  #say(problem: string): void {
    this.problems.push(problem)
  }
}
