import {
  rejectedBy,
  sliceState,
  type Effect,
  type EffectRun,
  type Runtime,
  type SessionState,
  type Slice,
} from '@cool-ai/beach-core'
import type { EventHandler, HandlerResult } from '../definition/index.ts'
import { FlowError, isFlowError, toFlowError } from '../schemas/index.ts'
import type { FlowRules } from './flow-rules.ts'
import type { FlowsState, Handling, Hydration, PendingAction, Work } from './flows-state.ts'
import { hydrate } from './hydrate.ts'
import { inTime } from './in-time.ts'
import { Moves, type Cause } from './moves.ts'
import { openFlow } from './open-flow.ts'
import { Writing } from './writing.ts'

/** What the work of flows needs. */
export interface FlowWorld {
  readonly runtime: Runtime
  readonly rules: FlowRules
  readonly slice: () => Slice<FlowsState>
}

// How long a handler may go on when its host shuts down: what is cut in the middle counts as failed.
const mostGraceMs = 10_000

/** All that is to be done for the flows of a session now. */
export function flowEffects(state: FlowsState, now: number, world: FlowWorld): Effect[] {
  return [
    ...workEffects(state, world),
    ...Object.entries(state.flows).flatMap(([instanceId, { expiresAt }]) => {
      if (expiresAt === undefined || expiresAt > now) return []
      return [{ key: `expire:${instanceId}`, run: (run: EffectRun) => expire(instanceId, world, run) }]
    }),
    ...state.actions.flatMap((action) => {
      if (action.expiresAt > now) return []
      return [{ key: `late:${action.actionId}`, run: (run: EffectRun) => giveUp(action, world, run) }]
    }),
    ...watchEffects(state, world),
  ]
}

/** The next time at which something of the flows runs out. */
export function nextFlowTime({ flows, actions }: FlowsState, after: number): number | undefined {
  let next: number | undefined
  const consider = (time: number | undefined) => {
    if (time !== undefined && time > after && (next === undefined || time < next)) next = time
  }
  for (const { expiresAt } of Object.values(flows)) consider(expiresAt)
  for (const { expiresAt } of actions) consider(expiresAt)
  return next
}

/** Handlers of one instance run one after the other, in the order of their events. */
function workEffects({ work }: FlowsState, world: FlowWorld): Effect[] {
  const busy = new Set<string>()
  return work.flatMap((one): Effect[] => {
    if (one.kind === 'hydrate') {
      return [{ key: `work:${one.workId}`, run: (run) => runHydration(one, world, run) }]
    }
    if (busy.has(one.instanceId)) return []
    busy.add(one.instanceId)
    return [{ key: `work:${one.workId}`, graceMs: mostGraceMs, run: (run) => runHandler(one, world, run) }]
  })
}

function watchEffects({ flows, watched }: FlowsState, world: FlowWorld): Effect[] {
  return Object.entries(flows).flatMap(([instanceId, instance]): Effect[] => {
    if (watched.includes(instanceId) || world.rules.watchOf(instance) === undefined) return []
    return [{ key: `watch:${instanceId}`, run: (run) => runWatch(instanceId, world, run) }]
  })
}

/** Writes what follows from the state as it is then; nothing where the decision leaves it empty. */
async function write(
  world: FlowWorld,
  run: EffectRun,
  decide: (moves: Moves, state: FlowsState) => void,
): Promise<void> {
  const { clock, id } = { clock: world.runtime.clock, id: (prefix: string) => world.runtime.id(prefix) }
  await run.commit((session: SessionState) => {
    const state = sliceState(world.slice(), session)
    const writing = new Writing(state, { session: run.session, now: clock.now(), id })
    decide(new Moves(writing, world.rules), state)
    return writing.drafts()
  })
}

function isOpen({ work }: FlowsState, { workId }: Work): boolean {
  return work.some((one) => one.workId === workId)
}

function causeOf({ by, eventId, depth }: Work): Cause {
  return { by, eventId, inReplyTo: eventId, depth: depth + 1 }
}

async function runHydration(work: Hydration, world: FlowWorld, run: EffectRun): Promise<void> {
  const { intentId, version, entities, by, eventId, parentInstanceId } = work
  const state = await stateOf(world, run)
  if (!isOpen(state, work)) return
  const outcome = await attempt(run, async () => {
    const found = world.rules.registered(intentId, version)
    const call = { session: run.session, entities, by, flows: state.flows, signal: run.signal }
    return hydrate(found, { ...call, ...(parentInstanceId !== undefined && { parentInstanceId }) }, world.runtime)
  })
  await write(world, run, (moves, current) => {
    if (!isOpen(current, work)) return
    moves.writing.carry({ done: work.workId })
    const error = 'error' in outcome ? outcome.error : openHydrated(moves, work, outcome.value)
    if (error !== undefined) hydrationFailed(moves, work, error)
    answer(moves, eventId)
  })
}

type Outcome<Value> = { readonly value: Value } | { readonly error: FlowError }

/** What something comes to, where it was not stopped from outside. */
async function attempt<Value>(run: EffectRun, what: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await what() }
  } catch (error) {
    run.signal.throwIfAborted()
    return { error: toFlowError(error) }
  }
}

function openHydrated(moves: Moves, work: Hydration, hydrated: Parameters<typeof openFlow>[1]['hydrated']) {
  const { intentId, version, by, eventId, parentInstanceId } = work
  const { now, id } = moves.writing.context
  const instanceId = id('flow')
  const opening = { intentId, version, by, hydrated, instanceId, inReplyTo: eventId }
  // Nested ones are the server's own idea: nobody asks for them twice.
  const book = parentInstanceId === undefined ? { result: { eventId, at: now, opened: instanceId, seq: 0 } } : {}
  const fork = moves.writing.fork()
  try {
    openFlow(moves.on(fork), { ...opening, ...(parentInstanceId !== undefined && { parentInstanceId }) }, { book })
  } catch (error) {
    if (isFlowError(error)) return error
    throw error
  }
  moves.writing.join(fork)
  return undefined
}

function hydrationFailed(moves: Moves, work: Hydration, error: FlowError): void {
  const { eventId, parentInstanceId, intentId } = work
  const { code, message } = error
  const cause = causeOf(work)
  if (parentInstanceId === undefined) {
    moves.fail(error, cause, { result: { eventId, at: moves.writing.context.now, code, message } })
    return
  }
  moves.fail(error.about({ instanceId: parentInstanceId }), cause)
  moves.offer(parentInstanceId, { event: 'child.dismissed', payload: { intentId, reason: 'error' } }, cause)
}

/** Says that what a client has sent is done, unless more is still to come of it; listeners learn it from a part. */
function answer(moves: Moves, eventId: string, instanceId?: string): void {
  if (moves.writing.state.work.some((work) => work.eventId === eventId)) return
  if (!moves.writing.shows && instanceId !== undefined && Object.hasOwn(moves.writing.state.flows, instanceId)) {
    moves.note(instanceId, {}, { by: nobody, eventId, inReplyTo: eventId, depth: 0 })
  }
  moves.writing.answer([eventId])
}

const nobody = { kind: 'anonymous', id: '', tenant: '' } as const

async function stateOf(world: FlowWorld, run: EffectRun): Promise<FlowsState> {
  let state = world.slice().initial
  await run.commit((session) => {
    state = sliceState(world.slice(), session)
    return []
  })
  return state
}

/** Runs the handler of an event: in the log before it begins and when it has ended, and once unless it is idempotent. */
async function runHandler(work: Handling, world: FlowWorld, run: EffectRun): Promise<void> {
  const { instanceId, event } = work
  const state = await stateOf(world, run)
  const instance = state.flows[instanceId]
  if (!isOpen(state, work) || instance === undefined) return
  const found = await attempt(run, async () => ({
    handler: world.rules.handlerOf(instance, event),
    props: world.rules.propsOf(world.rules.definitionOf(instance), instance),
  }))
  const handler = 'error' in found ? undefined : found.value.handler
  if ('error' in found || handler === undefined) {
    const missing = new FlowError('MUTATION_FAILED', `“${event}” cannot be carried out any more.`)
    return finish(work, 'FAILURE', { error: 'error' in found ? found.error : missing }, world, run)
  }
  if (work.isStarted === true && !handler.idempotent)
    return finish(work, handler.failure, { error: unknown() }, world, run)
  if (work.isStarted !== true && !(await start(work, world, run))) return
  const input = {
    instanceId,
    event,
    props: found.value.props,
    context: instance.context,
    state: instance.state,
    payload: work.payload ?? {},
    idempotencyKey: work.depth === 0 ? work.eventId : `${work.eventId}.${work.depth}.${event}`,
    principal: work.by,
    session: run.session,
  }
  const outcome = await attempt(run, () => handle(handler, input, work, world, run))
  await finish(work, handler.failure, outcome, world, run)
}

type GivenInput = Omit<Parameters<EventHandler['run']>[0], 'signal'>

async function handle(
  handler: EventHandler,
  input: GivenInput,
  { event }: Handling,
  { runtime }: FlowWorld,
  run: EffectRun,
): Promise<HandlerResult> {
  try {
    return await inTime(runtime.clock, handler.timeoutMs, run.signal, (signal) =>
      Promise.race([handler.run({ ...input, signal }), rejectedBy(signal)]),
    )
  } catch (error) {
    if (run.signal.aborted || isFlowError(error)) throw error
    runtime.logger.log('warn', 'the handler of an event failed', { session: run.session, event, error })
    throw new FlowError('MUTATION_FAILED', undefined, { cause: error })
  }
}

function unknown(): FlowError {
  return new FlowError(
    'MUTATION_FAILED',
    'This was interrupted, and it is not known whether it was carried out. Check before you try it again.',
    { details: { appCode: 'OUTCOME_UNKNOWN' } },
  )
}

/** False when another host was quicker, or nobody wants it any more. */
async function start(work: Handling, world: FlowWorld, run: EffectRun): Promise<boolean> {
  let isMine = false
  await write(world, run, (moves, state) => {
    isMine = state.work.some((one) => one.workId === work.workId && one.kind === 'handle' && one.isStarted !== true)
    if (isMine) moves.writing.note({ started: work.workId })
  })
  return isMine
}

async function finish(
  work: Handling,
  failure: string,
  outcome: Outcome<HandlerResult>,
  world: FlowWorld,
  run: EffectRun,
): Promise<void> {
  await write(world, run, (moves, state) => {
    if (!isOpen(state, work) || state.flows[work.instanceId] === undefined) return
    moves.writing.carry({ done: work.workId })
    const error = 'error' in outcome ? outcome.error : applied(moves, work, outcome.value)
    if (error !== undefined) handlingFailed(moves, work, failure, error)
    answer(moves, work.eventId, work.instanceId)
  })
}

/** What a handler has come to, as one change: all of it, or the error that keeps it from being made. */
function applied(moves: Moves, work: Handling, result: HandlerResult): FlowError | undefined {
  const fork = moves.writing.fork()
  try {
    applyResult(moves.on(fork), work, result)
  } catch (error) {
    if (isFlowError(error)) return error
    throw error
  }
  moves.writing.join(fork)
  return undefined
}

function applyResult(moves: Moves, work: Handling, given: HandlerResult): void {
  const { instanceId } = work
  const { event, payload, propsUpdate, contextUpdate, child, action, result } = given
  const cause = causeOf(work)
  if (propsUpdate !== undefined) moves.update(instanceId, propsUpdate, cause)
  if (action !== undefined) moves.ask({ ...action, instanceId: action.instanceId ?? instanceId }, cause)
  if (child !== undefined) openChild(moves, work, child)
  if (event === undefined) {
    if (contextUpdate !== undefined) moves.note(instanceId, contextUpdate, cause)
    moves.settle(instanceId, cause, result)
    return
  }
  const flow = moves.rules.definitionOf(moves.instance(instanceId))
  const checked = moves.rules.payloadOf(flow, event, payload)
  moves.move(
    instanceId,
    { event, ...(checked && { payload: checked }), ...(contextUpdate && { contextUpdate }), ...(result && { result }) },
    cause,
  )
}

/** Opens a flow inside the one whose handler asks for it. */
function openChild(moves: Moves, work: Handling, child: NonNullable<HandlerResult['child']>): void {
  const { instanceId: parentInstanceId, by, eventId, depth } = work
  const { intentId, entities, props } = child
  const { now, id } = moves.writing.context
  const found = moves.rules.registered(intentId, moves.writing.state.clients[intentId])
  const place = { intentId, version: found.flow.version, by, parentInstanceId }
  if (props !== undefined) {
    openFlow(moves, { ...place, hydrated: { props }, inReplyTo: eventId })
    return
  }
  const known = moves.rules.entitiesOf(found, entities)
  moves.rules.permit(found.flow, by)
  moves.addWork({ kind: 'hydrate', workId: id('work'), eventId, at: now, depth: depth + 1, ...place, entities: known })
}

/** Tells of the failure, and sends the machine the event for it, if it takes one. */
function handlingFailed(moves: Moves, work: Handling, failure: string, error: FlowError): void {
  const { instanceId } = work
  const cause = causeOf(work)
  const recovery = error.options.recovery ?? (error.recoverable ? [{ action: 'retry' as const }] : [])
  const { code, message, details } = error
  moves.fail(new FlowError(code, message, { ...error.options, instanceId, recovery }), cause)
  const payload = { code, message, ...(details && { details }) }
  if (!moves.offer(instanceId, { event: failure, payload }, cause)) moves.settle(instanceId, cause)
}

async function expire(instanceId: string, world: FlowWorld, run: EffectRun): Promise<void> {
  await write(world, run, (moves, state) => {
    const expiresAt = state.flows[instanceId]?.expiresAt
    if (expiresAt === undefined || expiresAt > moves.writing.context.now) return
    moves.dismiss(instanceId, 'timeout', ownCause(moves, state))
  })
}

/** An action that nobody has answered in time has failed. */
async function giveUp({ actionId, instanceId, event }: PendingAction, world: FlowWorld, run: EffectRun): Promise<void> {
  await write(world, run, (moves, state) => {
    if (!state.actions.some((one) => one.actionId === actionId)) return
    moves.writing.carry({ answered: actionId })
    if (instanceId === undefined || event === undefined) return
    const error = { code: 'TIMEOUT', message: 'Nobody has answered in time.' }
    moves.offer(instanceId, { event, payload: { actionId, success: false, error } }, ownCause(moves, state))
  })
}

/** What happens by itself happens for the owner of the session. */
function ownCause(moves: Moves, { owner = nobody }: FlowsState): Cause {
  return { by: owner, eventId: moves.writing.context.id('sev'), depth: 0 }
}

/** Runs the watch of an instance while the instance is open; one that ends by itself is not run again. */
async function runWatch(instanceId: string, world: FlowWorld, run: EffectRun): Promise<void> {
  const instance = (await stateOf(world, run)).flows[instanceId]
  const watch = instance === undefined ? undefined : world.rules.watchOf(instance)
  if (instance === undefined || watch === undefined) return
  const change = (what: (moves: Moves, cause: Cause) => void) =>
    write(world, run, (moves, state) => {
      if (state.flows[instanceId] !== undefined) what(moves, ownCause(moves, state))
    })
  await watch(
    { ...instance, instanceId },
    {
      session: run.session,
      signal: run.signal,
      update: (given) => change((moves, cause) => moves.update(instanceId, given, cause)),
      send: (event, payload) =>
        change((moves, cause) => {
          const checked = moves.rules.payloadOf(moves.rules.definitionOf(moves.instance(instanceId)), event, payload)
          moves.move(instanceId, { event, ...(checked && { payload: checked }) }, cause)
        }),
    },
  )
  await change((moves) => moves.writing.note({ watched: instanceId }))
}
