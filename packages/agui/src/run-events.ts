import type { Event } from '@ag-ui/core'
import { linkedFrame, until, type LinkOf } from '@cool-ai/beach-channel/live'
import type { Clock, Frame, PartTypeRegistry, Sessions } from '@cool-ai/beach-core'
import type { SliceInputRequest } from '@cool-ai/beach-core/ports'
import type { TakenRun } from './intake.ts'
import { interruptsOf } from './interrupts.ts'
import { RunEncoder } from './run-encoder.ts'
import type { RunInput } from './run-input.ts'
import { RunScope } from './run-scope.ts'
import { warningEvent } from './run-warning.ts'
import { showEarlier } from './surfaces.ts'
import type { ThreadReader } from './thread-reader.ts'
import type { Thread } from './thread.ts'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { kind: Kind }>

/** A run that a client follows. */
export interface RunView {
  readonly input: RunInput
  readonly place: ThreadSession
  readonly run: TakenRun
  readonly sessions: Sessions
  readonly reader: ThreadReader
  readonly clock: Clock
  readonly partTypes: PartTypeRegistry
  /** Ends it, when it is no longer needed or the agent stops. */
  readonly signal: AbortSignal
  readonly linkOf?: LinkOf | undefined
  /** Called when it begins to be read; what it returns is called when it has been read to its end, or left. */
  readonly onRead: () => () => void
}

/** A run as its events, those of one frame together, and the turn that it follows. */
export interface RunningRun {
  readonly events: AsyncGenerator<readonly Event[], void, undefined>
  readonly scope: RunScope
  readonly encoder: RunEncoder
}

/** Shows a run: from where the client's knowledge ends, until its turns are over or an answer is needed. */
export function runEvents(view: RunView): RunningRun {
  const scope = new RunScope(view.run)
  const encoder = new RunEncoder(view.input, view.partTypes, view.run.encodedUpTo)
  return { events: events(view, scope, encoder), scope, encoder }
}

// One generator, and nothing awaited that need not be: every piece of growing text passes here.
async function* events(
  view: RunView,
  scope: RunScope,
  encoder: RunEncoder,
): AsyncGenerator<readonly Event[], void, undefined> {
  const { run, reader, place, sessions, signal } = view
  const left = view.onRead()
  const end = until(signal)
  const follows = !scope.isOver && !run.rests
  const frames = framesOf(view, follows, end.signal)[Symbol.asyncIterator]()
  const progress = new Progress(view, scope, follows)
  try {
    const { state, parts = [] } = run.replies ?? {}
    const replies = [...(state === undefined ? [] : encoder.apply(state)), ...parts.map((part) => encoder.show(part))]
    yield [encoder.start(), ...run.notices.map(warningEvent), ...replies]
    while (!progress.isAtRest) {
      const { done, value: frame } = await frames.next()
      if (done === true) {
        // A pure listener is not cut off in the middle of anything.
        if (!follows || run.replies?.stays === true) break
        return yield encoder.fail('The run was cut off. Run again with the same runId to go on.', 'CUT_OFF')
      }
      if (scope.shows(frame)) {
        const shown = frame.kind === 'delta' ? encoder.apply(frame) : await shownEvents(frame, view, encoder)
        if (shown.length > 0) yield shown
      }
      if (frame.kind !== 'delta') await progress.take(frame)
    }
    const thread = run.exists ? await reader.read(place) : undefined
    const asks = thread === undefined ? [] : await sessions.inputRequests(place.session, place.principal)
    yield ending(view, { scope, encoder, thread, asks })
  } finally {
    left()
    end.now()
    // Not awaited: it waits for a frame that is being waited for.
    frames.return?.().catch(() => {})
  }
}

/** What there is to show: what comes, or only what is there. */
function framesOf({ run, sessions, place }: RunView, follows: boolean, signal: AbortSignal): AsyncIterable<Frame> {
  if (follows) return sessions.follow(place.session, place.viewer, run.from, signal)
  return sessions.history(place.session, place.viewer, run.from)
}

/** The events of a frame, after those of what it needs that the client was not told of. */
async function shownEvents(frame: Frame, view: RunView, encoder: RunEncoder): Promise<Event[]> {
  const { linkOf } = view
  await remember(frame, view, encoder)
  const earlier = encoder.lacksCall(frame) ? await earlierCall(frame, view, encoder) : []
  return [...earlier, ...encoder.apply(linkOf === undefined ? frame : await linkedFrame(frame, linkOf))]
}

/** How far a run has come. */
class Progress {
  readonly #view: RunView
  readonly #scope: RunScope
  readonly #follows: boolean
  #turned: FrameOf<'turn'> | undefined
  /** True when there is nothing left to wait for. */
  isAtRest: boolean

  constructor(view: RunView, scope: RunScope, follows: boolean) {
    this.isAtRest = !view.run.exists
    this.#view = view
    this.#scope = scope
    this.#follows = follows
  }

  async take(frame: Frame): Promise<void> {
    const { reader, place } = this.#view
    this.#scope.apply(frame)
    if (frame.cursor !== undefined) reader.noteShown(place, frame.cursor)
    if (frame.kind === 'turn') this.#turned = frame
    const { isOver, last, waitsForSlices } = this.#scope
    // What is only read is read to its end, unless the run has come to its own before.
    this.isAtRest =
      (isOver && (this.#follows || last !== undefined)) ||
      (mayRest(frame) && !waitsForSlices && (await isStuck(this.#turned, this.#view)))
  }
}

/** True for what may be the last that there is to wait for. */
function mayRest(frame: Frame): boolean {
  return frame.kind === 'turn' || (frame.kind === 'part' && frame.answers !== undefined)
}

/** True when the session waits for a decision, or for the client, and that is all that is left to read. */
async function isStuck(frame: FrameOf<'turn'> | undefined, { reader, place, clock }: RunView): Promise<boolean> {
  if (frame === undefined || (frame.turnState !== 'suspended' && frame.waitsForClient !== true)) return false
  const thread = await reader.read(place)
  const now = clock.now()
  const asked = thread?.pendingAt(now).map((approval) => approval.asked) ?? []
  const called = thread?.awaitedCallsAt(now).map(({ started }) => started) ?? []
  const places = [...asked, ...called]
  return places.length > 0 && places.every((cursor) => Number(cursor) <= Number(frame.cursor ?? Infinity))
}

/** The call of a tool that had begun before what the client is told of. */
async function earlierCall(
  frame: Frame,
  { sessions, reader, place }: RunView,
  encoder: RunEncoder,
): Promise<readonly Event[]> {
  if (frame.kind !== 'result') return []
  const call = (await reader.read(place))?.calls.get(frame.callId)
  if (call === undefined) return []
  for await (const earlier of sessions.history(place.session, place.viewer, { from: Number(call.started) })) {
    if (earlier.kind === 'call' && earlier.callId === frame.callId) return encoder.apply(earlier)
  }
  return []
}

/** A surface may be changed that an earlier turn has shown. */
async function remember(frame: Frame, { sessions, place }: RunView, encoder: RunEncoder): Promise<void> {
  if (frame.kind !== 'part' || frame.part.metadata.partType !== 'a2ui-surface') return
  const ids = encoder.surfaces.missing(frame)
  if (ids.length > 0) await showEarlier(encoder.surfaces, ids, { sessions, place, before: frame.cursor })
}

interface Rest {
  readonly scope: RunScope
  readonly encoder: RunEncoder
  readonly thread: Thread | undefined
  readonly asks: readonly SliceInputRequest[]
}

function ending({ run, clock }: RunView, { scope, encoder, thread, asks }: Rest): Event[] {
  const { last, isOver } = scope
  const answers = run.replies?.answers
  if (isOver && last !== undefined) {
    if (last.finalizedBy === 'cancelled') return encoder.finish({ type: 'cancelled' }, answers)
    if (last.turnState === 'error') return encoder.fail()
    const isAsking = last.turnState === 'clarifying' && thread?.question?.turnId === last.turnId
    if (!isAsking && asks.length === 0) return encoder.finish({ type: 'success', turnId: last.turnId }, answers)
  }
  const now = clock.now()
  const interrupts = thread === undefined ? [] : interruptsOf(thread, asks, now)
  if (interrupts.length > 0) return encoder.finish({ type: 'interrupt', interrupts }, answers)
  // A run of slices alone is not about the turn.
  const isAlone = run.replies !== undefined && run.turns.size + run.awaits.size === 0
  const calls = isAlone ? [] : (thread?.awaitedCallsAt(now) ?? [])
  // Who asks what there is to do, and brings nothing, may have been loaded again with the messages of before.
  const repeated = run.brings === true ? [] : calls.flatMap((call) => encoder.repeatCall(call))
  const pendingToolCallIds = calls.map(({ callId }) => callId)
  return [...repeated, ...encoder.finish({ type: 'success', pendingToolCallIds }, answers)]
}
