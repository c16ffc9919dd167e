import type { Event, Interrupt } from '@ag-ui/core'
import { until, withLinks, type LinkOf } from '@cool-ai/beach-channel/live'
import type { Clock, Frame, PartTypeRegistry, Sessions } from '@cool-ai/beach-core'
import type { SliceInputRequest } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalQuestion, askedApproval } from '@cool-ai/beach-protocol'
import type { TakenRun } from './intake.ts'
import { RunEncoder } from './run-encoder.ts'
import type { RunInput } from './run-input.ts'
import { warningEvent } from './run-warning.ts'
import { showEarlier } from './surfaces.ts'
import type { ThreadReader } from './thread-reader.ts'
import type { AskedApproval, Question, Thread } from './thread.ts'
import type { ThreadSession } from './threads.ts'

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
  const encoder = new RunEncoder(view.input, view.partTypes, view.run.toldUpTo)
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

const approvalAnswer = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Approved' },
    reason: { type: 'string', title: 'Reason', maxLength: 2_000 },
  },
  required: ['approved'],
}

const questionAnswer = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer', minLength: 1 } },
  required: ['answer'],
}

function interruptsOf(thread: Thread, asks: readonly SliceInputRequest[], now: number): Interrupt[] {
  const asked = asks.map(askInterrupt)
  const pending = thread.pendingAt(now)
  if (pending.length > 0) return [...pending.flatMap(approvalInterrupt), ...asked]
  return thread.question === undefined ? asked : [questionInterrupt(thread.question), ...asked]
}

function askInterrupt({ id, ns, reason, message, responseSchema, expiresAt }: SliceInputRequest): Interrupt {
  return defined({ id, reason, message, responseSchema, expiresAt, metadata: { kind: ns } })
}

function approvalInterrupt({ approvalId, turnId, partId, part }: AskedApproval): Interrupt[] {
  const asked = part && askedApproval(part)
  if (asked === undefined) return []
  const { toolName, toolCallId, args, handler, expiresAt } = asked.request
  const { title, summary, risk } = asked
  const level = asked.isAdmin ? 'admin' : undefined
  return [
    {
      id: approvalId,
      // The tool runs with the agent: there is no call in the stream that the client could be pointed to.
      reason: 'confirmation',
      message: approvalQuestion(asked),
      responseSchema: approvalAnswer,
      ...(expiresAt !== undefined && { expiresAt }),
      metadata: {
        kind: 'approval',
        turnId,
        partId,
        toolName,
        toolCallId,
        args,
        handler,
        ...defined({ title, summary, risk, level }),
      },
    },
  ]
}

function questionInterrupt({ turnId, parts }: Question): Interrupt {
  const message = parts.flatMap(({ part }) => part.text ?? []).join('\n')
  const data = parts.flatMap(({ part }) => (part.data === undefined ? [] : [part.data]))
  return {
    id: turnId,
    reason: 'input_required',
    ...(message !== '' && { message }),
    responseSchema: questionAnswer,
    metadata: {
      kind: 'question',
      turnId,
      partIds: parts.map(({ partId }) => partId),
      ...(data.length > 0 && { data }),
    },
  }
}

type Settled = Extract<Frame, { kind: 'settled' }>

/** Which of a session's frames are a run's, and when it has nothing more to show. */
class RunScope {
  readonly #awaits: Set<string>
  readonly #turns: Set<string>
  readonly #hides: string | undefined
  readonly #undone: Set<string>
  readonly #stays: boolean
  turnId: string | undefined
  last: Settled | undefined

  constructor({ awaits, turns, hides, replies }: Pick<TakenRun, 'awaits' | 'turns' | 'hides' | 'replies'>) {
    this.#awaits = new Set(awaits)
    this.#turns = new Set(turns)
    this.#hides = hides
    this.#undone = new Set(replies?.awaits)
    this.#stays = replies?.stays === true
    this.turnId = [...turns][0]
  }

  get isOver(): boolean {
    return this.#awaits.size === 0 && this.#turns.size === 0 && this.#undone.size === 0 && !this.#stays
  }

  /** True while slices have work of the run to do, or it stays for whatever they show. */
  get waitsForSlices(): boolean {
    return this.#undone.size > 0 || this.#stays
  }

  shows(frame: Frame): boolean {
    return this.#hides === undefined || frame.turnId !== this.#hides || this.#turns.has(this.#hides)
  }

  apply(frame: Frame): void {
    if (frame.kind === 'turn') {
      for (const id of frame.messageIds ?? []) if (this.#awaits.delete(id)) this.#turns.add(frame.turnId)
      if (this.#turns.has(frame.turnId)) this.turnId = frame.turnId
    }
    if (frame.kind === 'settled' && this.#turns.delete(frame.turnId)) this.last = frame
    if (frame.kind === 'part') for (const id of frame.answers ?? []) this.#undone.delete(id)
  }
}
