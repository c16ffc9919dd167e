import type { ServerEvent } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import { keepLatest, recentIds } from './recent.ts'
import { isRecord, type Known } from './transport.ts'

/** How many flows that have ended, and how many ids of events, are remembered. */
const maxRemembered = 500

/** How many events that came too early are kept; what is beyond comes with the next resync. */
const maxEarlyEvents = 200

/** What was here when the server was asked; its answer is about that. */
export interface SyncRequest {
  readonly known: readonly Known[]
  /** What had come too early by then: whatever the answer is, it has these in it. */
  readonly early: ReadonlySet<ServerEvent>
  readonly doubts: ReadonlySet<string>
}

/**
 * What the server has, as far as it is known here. Events of one flow count in the order of their seq, each once, however
 * they come; when one is missing, or what the server says does not fit, this is in doubt until it has asked.
 */
export class Mirror {
  #flows: ActiveFlows = {}
  /** Events that came before one that is missing. */
  #early = new Set<ServerEvent>()
  /** Flows of which something does not fit. */
  #doubts = new Set<string>()
  readonly #ended = recentIds(maxRemembered)
  readonly #seen = recentIds(maxRemembered)

  get flows(): ActiveFlows {
    return this.#flows
  }

  /** True when only the server can say how things stand. */
  get inDoubt(): boolean {
    return this.#early.size > 0 || this.#doubts.size > 0
  }

  /** Takes one event; gives those that count now, in order: none, it, or also some that were waiting for it. */
  take(event: ServerEvent): readonly ServerEvent[] {
    const { eventId, instanceId, seq } = event.value
    if (!isParked(event)) return this.#place(event, event.value.instanceId)
    const isNew = eventId === undefined || this.#seen.add(eventId)
    const others = isNew && instanceId !== undefined && seq !== undefined ? this.#place(event, instanceId) : []
    // What it says is not to wait for what is missing.
    return isNew ? [event, ...others.filter((other) => other !== event)] : []
  }

  #place(event: ServerEvent, instanceId: string): readonly ServerEvent[] {
    if (this.#ended.has(instanceId)) return []
    const sequenced = this.#sequenced(event, instanceId)
    if (sequenced === undefined) return []
    if (this.#apply(sequenced)) return [sequenced, ...this.#applyEarly()]
    this.#keepEarly(sequenced)
    return []
  }

  /**
   * Takes what the server shows of all flows without having been asked. It may be older than what is here: a flow that it
   * does not have is only in doubt.
   */
  show(shown: ActiveFlows): void {
    this.#merge(shown)
    for (const instanceId of Object.keys(this.#flows)) {
      if (shown[instanceId] === undefined) this.#doubts.add(instanceId)
    }
    this.#applyEarly()
  }

  /** Looks at a patch of the shared state, which repeats what events have said: one of them may have got lost. */
  compare(delta: readonly unknown[]): void {
    for (const operation of delta) {
      if (!isRecord(operation) || typeof operation.path !== 'string') continue
      const [, root, escaped = '', member, ...deeper] = operation.path.split('/')
      if (root !== 'activeFlows' || deeper.length > 0) continue
      const instanceId = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
      const seq = member === 'seq' ? operation.value : isRecord(operation.value) ? operation.value.seq : undefined
      const isGone = operation.op === 'remove' && member === undefined && this.#flows[instanceId] !== undefined
      if (isGone || (typeof seq === 'number' && this.#isBehind(instanceId, seq))) this.#doubts.add(instanceId)
    }
  }

  ask(): SyncRequest {
    const known = Object.entries(this.#flows).map(([instanceId, { seq }]) => ({ instanceId, seq }))
    return { known, early: new Set(this.#early), doubts: new Set(this.#doubts) }
  }

  /** Takes the answer to what was asked; without flows it says that those that were known are what there is. */
  answered({ known, early, doubts }: SyncRequest, answer: ActiveFlows | undefined): void {
    for (const event of early) this.#early.delete(event)
    for (const instanceId of doubts) this.#doubts.delete(instanceId)
    const asked = new Set(known.map(({ instanceId }) => instanceId))
    const active = answer === undefined ? asked : new Set(Object.keys(answer))
    if (answer !== undefined) this.#merge(answer)
    for (const instanceId of Object.keys(this.#flows)) {
      if (active.has(instanceId)) continue
      if (asked.has(instanceId)) this.#end(instanceId)
      // It came while the server was asked, or was over before: the next answer will tell.
      else this.#doubts.add(instanceId)
    }
    this.#applyEarly()
  }

  /** The event with its seq; undefined when it has counted already. A server that gives none is taken at its word. */
  #sequenced(event: ServerEvent, instanceId: string): ServerEvent | undefined {
    const { seq, eventId } = event.value
    const here = this.#flows[instanceId]?.seq
    if (seq !== undefined) return seq <= (here ?? -1) ? undefined : event
    if (eventId !== undefined && !this.#seen.add(eventId)) return undefined
    if (event.name === 'intentflow.render') {
      return here === undefined ? { ...event, value: { ...event.value, seq: 0 } } : undefined
    }
    if (here !== undefined) return { ...event, value: { ...event.value, seq: here + 1 } } as ServerEvent
    this.#doubts.add(instanceId)
    return undefined
  }

  #isBehind(instanceId: string, seq: number): boolean {
    return !this.#ended.has(instanceId) && (this.#flows[instanceId]?.seq ?? -1) < seq
  }

  #apply(event: ServerEvent): boolean {
    const before = this.#flows
    this.#flows = applyServerEvent(before, event)
    const { instanceId } = event.value
    if (event.name === 'intentflow.dismiss' && instanceId !== undefined && this.#flows !== before) this.#end(instanceId)
    return this.#flows !== before
  }

  #applyEarly(): ServerEvent[] {
    const applied: ServerEvent[] = []
    for (let again = true; again;) {
      again = false
      for (const event of this.#early) {
        const { instanceId = '', seq = 0 } = event.value
        const isLate = this.#ended.has(instanceId) || seq <= (this.#flows[instanceId]?.seq ?? -1)
        if (!isLate && !this.#apply(event)) continue
        this.#early.delete(event)
        if (isLate) continue
        // An error or an action was told when it came.
        if (!isParked(event)) applied.push(event)
        again = true
      }
    }
    return applied
  }

  #keepEarly(event: ServerEvent): void {
    const { instanceId, seq } = event.value
    for (const other of this.#early) {
      if (other.value.instanceId === instanceId && other.value.seq === seq) return
    }
    this.#early.add(event)
    keepLatest(this.#early, maxEarlyEvents)
  }

  /** Takes flows that are further on than here; one that has ended stays so. */
  #merge(flows: ActiveFlows): void {
    const newer = Object.entries(flows).flatMap(([instanceId, given]) => {
      const flow = whole(given, this.#flows[instanceId])
      return this.#isBehind(instanceId, flow.seq) || (given as Partial<FlowInstance>).seq === undefined
        ? [[instanceId, flow] as const]
        : []
    })
    if (newer.length > 0) this.#flows = { ...this.#flows, ...Object.fromEntries(newer) }
  }

  #end(instanceId: string): void {
    this.#ended.add(instanceId)
    this.#doubts.delete(instanceId)
    if (this.#flows[instanceId] === undefined) return
    const { [instanceId]: _gone, ...others } = this.#flows
    this.#flows = others
  }
}

/** A flow as a snapshot has it; one of a server that knows no more than the specification's example lacks most. */
function whole(given: Partial<FlowInstance>, here: FlowInstance | undefined): FlowInstance {
  const base = here ?? {
    intentId: '',
    version: '1.0.0',
    state: '',
    props: {},
    context: {},
    displayMode: 'inline',
    priority: 'normal',
    dismissable: true,
    seq: 0,
    createdAt: 0,
    updatedAt: 0,
  }
  return given.seq === undefined ? { ...base, ...given } : (given as FlowInstance)
}

/** Errors and actions are about a flow and change nothing of it. */
function isParked(
  event: ServerEvent,
): event is Extract<ServerEvent, { name: 'intentflow.error' | 'intentflow.action' }> {
  return event.name === 'intentflow.error' || event.name === 'intentflow.action'
}
