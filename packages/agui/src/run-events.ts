import type { Event } from '@ag-ui/core'
import { until, withLinks, type LinkOf } from '@cool-ai/beach-channel/live'
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
}

/** A run as its events, and the turn that it follows. */
export interface RunningRun {
  readonly events: AsyncGenerator<Event, void, undefined>
  readonly scope: RunScope
  readonly encoder: RunEncoder
}

/** Shows a run: from where the client's knowledge ends, until its turns are over or an answer is needed. */
export function runEvents(view: RunView): RunningRun {
  const scope = new RunScope(view.run)
  const encoder = new RunEncoder(view.input, view.partTypes, view.run.encodedUpTo)
  return { events: events(view, scope, encoder), scope, encoder }
}

async function* events(view: RunView, scope: RunScope, encoder: RunEncoder): AsyncGenerator<Event, void, undefined> {
  const { run, reader, place, sessions } = view
  yield encoder.start()
  for (const notice of run.notices) yield warningEvent(notice)
  if (run.replies?.state !== undefined) yield* encoder.apply(run.replies.state)
  for (const part of run.replies?.parts ?? []) yield encoder.show(part)
  const isAtRest = run.exists ? yield* shown(view, scope, encoder) : true
  if (!isAtRest) return yield* encoder.fail('The run was cut off. Run again with the same runId to go on.', 'CUT_OFF')
  const thread = run.exists ? await reader.read(place) : undefined
  const asks = thread === undefined ? [] : await sessions.inputRequests(place.session, place.principal)
  yield* ending(view, { scope, encoder, thread, asks })
}

/** What happens until the run rests; false when it was cut off before. */
async function* shown(view: RunView, scope: RunScope, encoder: RunEncoder): AsyncGenerator<Event, boolean, undefined> {
  const { run, place, sessions, reader, signal, linkOf } = view
  const end = until(signal)
  const follows = !scope.isOver && !run.rests
  const read = follows
    ? sessions.follow(place.session, place.viewer, run.from, end.signal)
    : sessions.history(place.session, place.viewer, run.from)
  const frames = linkOf ? withLinks(read[Symbol.asyncIterator](), linkOf) : read[Symbol.asyncIterator]()
  let turned: FrameOf<'turn'> | undefined
  try {
    for (;;) {
      const { done, value: frame } = await frames.next()
      // A pure listener is not cut off in the middle of anything.
      if (done === true) return !follows || run.replies?.stays === true
      if (scope.shows(frame)) {
        await remember(frame, view, encoder)
        if (encoder.lacksCall(frame)) yield* earlierCall(frame, view, encoder)
        yield* encoder.apply(frame)
      }
      scope.apply(frame)
      if (frame.cursor !== undefined) reader.noteShown(place, frame.cursor)
      // What is only read is read to its end, unless the run has come to its own before.
      if (scope.isOver && (follows || scope.last !== undefined)) return true
      if (frame.kind === 'turn') turned = frame
      if (mayRest(frame) && !scope.waitsForSlices && (await isStuck(turned, view))) return true
    }
  } finally {
    end.now()
    // Not awaited: it waits for a frame that is being waited for.
    frames.return?.().catch(() => {})
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
async function* earlierCall(
  frame: Frame,
  { sessions, reader, place }: RunView,
  encoder: RunEncoder,
): AsyncGenerator<Event, void, undefined> {
  if (frame.kind !== 'result') return
  const call = (await reader.read(place))?.calls.get(frame.callId)
  if (call === undefined) return
  for await (const earlier of sessions.history(place.session, place.viewer, { from: Number(call.started) })) {
    if (earlier.kind !== 'call' || earlier.callId !== frame.callId) continue
    return yield* encoder.apply(earlier)
  }
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
