import { BeachError, type Clock, type Frame, type Originator, type Principal, type Sessions } from '@cool-ai/beach-core'
import type { CommittedReply } from '@cool-ai/beach-core/ports'
import { FlowError } from '../schemas/flow-error.ts'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { flowsNs } from './flows-state.ts'
import { inTime } from './in-time.ts'
import { ownInput, type OwnRequest, type FlowsView } from './take-own-input.ts'
import type { FlowAnswer } from './handle-client-request.ts'

// A handler may take as long as it says; callers wait no longer than this for it.
const waitMs = 60_000
// What comes of it next to that is waited for only so long: it can be looked at again.
const calmMs = 10_000

/** How the program reaches the flows of its sessions, once its channels have started. */
export class FlowGateway {
  readonly #clock: Clock
  #sessions: Sessions | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  open(sessions: Sessions): void {
    this.#sessions = sessions
  }

  async own(session: string, request: OwnRequest, by: Principal): Promise<CommittedReply> {
    return this.#known.handle(session, flowsNs, ownInput(request), by)
  }

  async say(session: string, said: unknown, by: Principal): Promise<CommittedReply & { readonly answer: FlowAnswer }> {
    const reply = await this.#known.handle(session, flowsNs, said, by)
    return { ...reply, answer: reply.answer as FlowAnswer }
  }

  /** How the flows stand, and how far the log had come then. */
  async look(session: string, by: Principal): Promise<FlowsView & { readonly seq: number }> {
    const { answer, seq } = await this.own(session, { kind: 'look' }, by)
    return { ...(answer as FlowsView), seq }
  }

  /** Waits until all that was said is done, and returns what the flows have shown because of it. */
  async outcome(session: string, reply: CommittedReply, by: Principal, signal: AbortSignal): Promise<ServerEvent[]> {
    const open = new Set(reply.awaits)
    if (open.size === 0) return []
    return inTime(this.#clock, waitMs, signal, async (within) => {
      const shown: ServerEvent[] = []
      for await (const frame of this.#known.follow(session, listener(by), String(reply.seq), within)) {
        if (frame.kind !== 'part') continue
        shown.push(...eventsIn(frame))
        for (const id of frame.answers ?? []) open.delete(id)
        if (open.size === 0) return shown
      }
      throw within.reason instanceof FlowError ? within.reason : new FlowError('TIMEOUT')
    })
  }

  /** Looks as soon as nothing is being worked on that matters, or when that takes too long. */
  async whenIdle(
    session: string,
    by: Principal,
    isBusy: (look: FlowsView) => boolean,
    signal: AbortSignal,
  ): Promise<FlowsView> {
    const first = await this.look(session, by)
    if (!isBusy(first)) return first
    return inTime(this.#clock, calmMs, signal, async (within) => {
      for await (const frame of this.#known.follow(session, listener(by), String(first.seq), within)) {
        // Work that has ended answers what it was for.
        if (frame.kind !== 'part' || frame.answers === undefined) continue
        const look = await this.look(session, by)
        if (!isBusy(look)) return look
      }
      return this.look(session, by)
    })
  }

  /** What the flows have shown since the log had come so far. */
  async since(session: string, seq: number, by: Principal): Promise<ServerEvent[]> {
    const shown: ServerEvent[] = []
    for await (const frame of this.#known.history(session, listener(by), String(seq))) {
      shown.push(...eventsIn(frame))
    }
    return shown
  }

  get #known(): Sessions {
    if (this.#sessions !== undefined) return this.#sessions
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'The flows have no sessions yet. Give `flows.slice` and `flows.channel()` to createBeach, and wait for it.',
    )
  }
}

function eventsIn(frame: Frame): ServerEvent[] {
  if (frame.kind !== 'part' || !frame.part.metadata.partType.startsWith(`${flowsNs}.`)) return []
  return [{ type: 'CUSTOM', name: frame.part.metadata.partType, value: frame.part.data } as ServerEvent]
}

function listener(principal: Principal): Originator {
  return { id: `${flowsNs}:${principal.id}`, transport: flowsNs, deliveryClass: 'streaming', principal }
}
