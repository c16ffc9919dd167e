import { EventType, PROTOCOL_VERSION, type Event, type Interrupt } from '@ag-ui/core'
import type { Coordinates, Frame, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { peerOf, peerOrigin } from '@cool-ai/beach-core/ports'
import type { ShownState } from '@cool-ai/beach-core/registries'
import { defined, parsePartId } from '@cool-ai/beach-core/runtime'
import { aguiMarkOf } from './agui-mark.ts'
import { ownState, type RunInput } from './run-input.ts'
import { statePatch, type AguiState } from './state-patch.ts'
import { Steps } from './steps.ts'
import { Surfaces } from './surfaces.ts'
import { messageIdOf, textKindOf, type TextKind } from './text-kind.ts'
import { Transcript } from './transcript.ts'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/** What a client is told of a result that it is not shown. */
const outcomeWords = { ok: 'Done.', failed: 'Failed.', unknown: 'Whether this took effect is not known.' } as const
const neverDone = 'The turn ended before this was done.'

/** How a run ends that did not fail. */
export type Ending =
  | { readonly type: 'success'; readonly turnId?: string; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: Interrupt[] }
  | { readonly type: 'cancelled' }

interface OpenTurn {
  epoch: number
  /** Messages that are shown and not in the log yet, with the parts that they show. */
  readonly live: Map<string, string>
}

/**
 * Frames of a session as the events of one AG-UI run. Whatever the frames are, what comes out keeps to AG-UI's grammar:
 * everything is begun before it goes on, and ended before the run is.
 */
export class RunEncoder {
  readonly surfaces = new Surfaces()
  readonly #input: RunInput
  readonly #partTypes: PartTypeRegistry
  /** How far the log had come that clients of the thread were told of before. */
  readonly #encodedUpTo: number
  readonly #transcript: Transcript
  readonly #steps = new Steps()
  readonly #turns = new Map<string, OpenTurn>()
  readonly #committed = new Set<string>()
  #coordinates: Coordinates | undefined
  /** How far the log had come with the state that the client has. */
  #stateSeq = Infinity
  #shown: ShownState = {}
  #error: Part | undefined

  constructor(input: RunInput, partTypes: PartTypeRegistry, encodedUpTo = 0) {
    this.#input = input
    this.#partTypes = partTypes
    this.#encodedUpTo = encodedUpTo
    this.#transcript = new Transcript(input.sent)
  }

  start(): Event {
    const { threadId, runId, parentRunId } = this.#input
    return {
      type: EventType.RUN_STARTED,
      threadId,
      runId,
      protocolVersion: PROTOCOL_VERSION,
      ...defined({ parentRunId }),
    }
  }

  apply(frame: Frame): Event[] {
    switch (frame.kind) {
      case 'state':
        return this.#state(frame)
      case 'delta':
        return this.#delta(frame)
      case 'part':
        return frame.role === 'user' ? this.#userPart(frame) : this.#said(frame)
      case 'retract':
        return this.#retract(frame)
      case 'turn':
        return this.#turn(frame)
      case 'settled':
        return this.#end(frame.turnId)
      case 'decision': {
        const { approvalId, turnId, outcome, by, via, args, at } = frame
        const value = defined({ approvalId, turnId, outcome, by, via, args, at })
        return [{ type: EventType.CUSTOM, name: 'beach.decision', value, timestamp: at }]
      }
      case 'call': {
        const { callId, name, args = {}, at } = frame
        return this.#transcript.call(callId, name, JSON.stringify(args)).map((event) => ({ ...event, timestamp: at }))
      }
      case 'result':
        return this.#result(frame)
      default:
        // A kind of frame that this code does not know yet.
        return (frame satisfies never, [])
    }
  }

  show(part: Part): Event {
    const { text, data, metadata } = part
    return { type: EventType.CUSTOM, name: metadata.partType, value: data ?? text ?? null }
  }

  /** The last events of a run that did not fail, with what slices have answered. */
  finish(ending: Ending, answers: Readonly<Record<string, unknown>> = {}): Event[] {
    const { threadId, runId, protocolVersion } = this.#input
    const turn = ending.type === 'success' && ending.turnId !== undefined ? { turnId: ending.turnId } : {}
    const result = { ...answers, ...turn }
    const finished = {
      type: EventType.RUN_FINISHED as const,
      threadId,
      runId,
      ...(Object.keys(result).length > 0 && { result }),
    }
    const closed = this.#close()
    switch (ending.type) {
      case 'success': {
        const { pendingToolCallIds: pending = [] } = ending
        // Clients before 1.0 cannot read these; they find out by the calls without results.
        const names = pending.length > 0 && protocolVersion !== undefined && { pendingToolCallIds: [...pending] }
        return [...closed, { ...finished, outcome: { type: 'success', ...names } }]
      }
      case 'interrupt':
        return [...closed, { ...finished, outcome: { type: 'interrupt', interrupts: ending.interrupts } }]
      case 'cancelled':
        // Clients before 1.0 cannot read this ending, and would take any other for a success.
        if (protocolVersion === undefined) return this.fail('The run was cancelled.', 'CANCELLED')
        return [...closed, { ...finished, outcome: { type: 'cancelled' } }]
    }
  }

  /** The last events of a run that failed: with what the agent says of it, where it does. */
  fail(message?: string, code?: string): Event[] {
    const said = this.#error
    const saidCode = typeof said?.metadata.code === 'string' ? said.metadata.code : undefined
    const traceId = said?.metadata.traceId
    return [
      ...this.#close(),
      {
        type: EventType.RUN_ERROR,
        message: message ?? said?.text ?? 'The agent could not answer. Please try again.',
        code: code ?? saidCode ?? 'AGENT_ERROR',
        ...(traceId !== undefined && { rawEvent: { traceId } }),
      },
    ]
  }

  #close(): Event[] {
    return [...this.#transcript.closeAll(), ...this.#steps.finishAll()]
  }

  #state({ coordinates, shown, seq }: FrameOf<'state'>): Event[] {
    const before = this.#coordinates
    this.#coordinates = coordinates
    if (before === undefined) {
      this.#stateSeq = seq
      this.#shown = shown ?? {}
      const snapshot: AguiState = { ...ownState(this.#input.state), coordinates, ...shown }
      return [{ type: EventType.STATE_SNAPSHOT, snapshot }]
    }
    const delta = statePatch(before, coordinates)
    return delta.length === 0 ? [] : [{ type: EventType.STATE_DELTA, delta }]
  }

  #delta({ turnId, epoch, partId, partType, origin, offset, text }: FrameOf<'delta'>): Event[] {
    const kind = textKindOf(partType)
    const turn = this.#turnOf(turnId, epoch)
    if (kind === undefined || epoch < turn.epoch || this.#committed.has(partId)) return []
    const id = messageIdOf(partId, kind)
    turn.live.set(id, partId)
    return this.#transcript.grow({ id, kind, partType, origin }, offset, text)
  }

  #userPart({ partId, part, at }: FrameOf<'part'>): Event[] {
    const id = aguiMarkOf(part)?.messageId ?? partId
    const { text } = part
    if (part.metadata.partType !== 'message' || text === undefined || text === '') return []
    return this.#transcript.add(id, text).map((event) => ({ ...event, timestamp: at }))
  }

  #said(frame: FrameOf<'part'>): Event[] {
    const { partId, part, turnId = '', at } = frame
    if (this.#committed.has(partId) || this.#isOver(frame)) return []
    // What slices show does not grow before it is there; some listen to it for days.
    if (turnId !== '') this.#committed.add(partId)
    const kind = textKindOf(part.metadata.partType)
    const turn = this.#turns.get(turnId)
    if (kind !== undefined) turn?.live.delete(messageIdOf(partId, kind))
    // It may have been shown as something else than it has become.
    const gone = turn === undefined ? [] : this.#take(turn, (shown) => shown === partId)
    const events = kind === undefined ? this.#data(frame) : this.#text(frame, kind)
    return [...gone, ...[...events, ...this.#patch(frame)].map((event) => ({ ...event, timestamp: at }))]
  }

  /** What a part changes in the state that the client has, unless that is of later. */
  #patch({ part, cursor }: FrameOf<'part'>): Event[] {
    if (cursor === undefined || Number(cursor) <= this.#stateSeq) return []
    const delta = this.#partTypes.get(part.metadata.partType)?.statePatch?.(part) ?? []
    return delta.length === 0 ? [] : [{ type: EventType.STATE_DELTA, delta: [...delta] }]
  }

  /** True for what was told before, and need not be told again. */
  #isOver({ part, cursor }: FrameOf<'part'>): boolean {
    if (cursor === undefined || Number(cursor) > this.#encodedUpTo) return false
    return (
      this.#partTypes.get(part.metadata.partType)?.isOver?.(part, this.#shown, ownState(this.#input.state)) ?? false
    )
  }

  #text({ partId, part }: FrameOf<'part'>, kind: TextKind): Event[] {
    const { text = '', data, metadata } = part
    const { partType } = metadata
    const place = { id: messageIdOf(partId, kind), kind, partType, origin: peerOrigin(part) }
    const said = this.#transcript.complete(place, text, metadata)
    return data === undefined ? said : [...said, this.#event(partId, part)]
  }

  #data(frame: FrameOf<'part'>): Event[] {
    const { partId, part, turnState } = frame
    switch (part.metadata.partType) {
      case 'progress':
        return [...this.#steps.progress(part), this.#event(partId, part)]
      case 'a2ui-surface':
        return this.surfaces.show(frame) ?? [this.#event(partId, part)]
      case 'error':
        // What ends the run is said by its end.
        if (turnState === 'error') this.#error = part
        return turnState === 'error' ? [] : [this.#event(partId, part)]
      default:
        return [this.#event(partId, part)]
    }
  }

  /** A part that AG-UI has no event for: an application's by its data alone, which is what its readers expect. */
  #event(partId: string, part: Part): Event {
    const { text, data, metadata } = part
    const { partType: name } = metadata
    // A type that only a peer knows has no readers here; its name may be one that others act on.
    const isOwn = this.#partTypes.has(name) || peerOf(part) === undefined
    if (name.includes('.') && isOwn) {
      return { type: EventType.CUSTOM, name, value: data ?? text ?? null, metadata: { ...metadata, partId } }
    }
    return { type: EventType.CUSTOM, name: isOwn ? name : 'beach.peer-part', value: { partId, ...part } }
  }

  #retract({ turnId, epoch, partIds }: FrameOf<'retract'>): Event[] {
    const turn = this.#turnOf(turnId, epoch)
    if (epoch < turn.epoch) return []
    if (partIds !== undefined) return this.#take(turn, (partId) => partIds.includes(partId))
    this.#transcript.restart([...turn.live.keys()])
    return []
  }

  #turn({ turnId, epoch, step }: FrameOf<'turn'>): Event[] {
    const turn = this.#turnOf(turnId, epoch)
    return step === undefined ? [] : this.#take(turn, (partId) => (parsePartId(partId)?.step ?? 0) <= step)
  }

  /** Shows a call again that the client has from before, and that waits for it. */
  repeatCall({ callId, name }: Pick<FrameOf<'call'>, 'callId' | 'name'>): Event[] {
    return this.#transcript.repeatCall(callId, name)
  }

  /** True when the client lacks the call that a frame tells the result of. */
  lacksCall(frame: Frame): boolean {
    return frame.kind === 'result' && !this.#transcript.hasCall(frame.callId)
  }

  #result({ callId, outcome, value, at }: FrameOf<'result'>): Event[] {
    // An orphan would be taken for an answer to nothing.
    if (!this.#transcript.hasCall(callId)) return []
    const content =
      value === undefined ? outcomeWords[outcome] : typeof value === 'string' ? value : JSON.stringify(value)
    return this.#transcript.result(callId, content).map((event) => ({ ...event, timestamp: at }))
  }

  /** What a turn has shown and not said is gone when the turn is, and what it has called comes to nothing more. */
  #end(turnId: string): Event[] {
    const turn = this.#turns.get(turnId)
    const gone = turn === undefined ? [] : this.#take(turn, () => true)
    const calls = this.#transcript.openCalls(turnId)
    return [...gone, ...calls.flatMap((callId) => this.#transcript.result(callId, neverDone))]
  }

  /** Takes back what was only shown of some parts. */
  #take({ live }: OpenTurn, isGone: (partId: string) => boolean): Event[] {
    const gone = [...live].filter(([, partId]) => isGone(partId)).map(([id]) => id)
    for (const id of gone) live.delete(id)
    return gone.length === 0 ? [] : this.#transcript.retract(gone)
  }

  /** A higher epoch is another host, which begins the open step anew. */
  #turnOf(turnId: string, epoch: number): OpenTurn {
    const turn = this.#turns.get(turnId) ?? { epoch, live: new Map<string, string>() }
    this.#turns.set(turnId, turn)
    if (epoch > turn.epoch) {
      turn.epoch = epoch
      this.#transcript.restart([...turn.live.keys()])
    }
    return turn
  }
}
