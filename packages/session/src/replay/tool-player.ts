import { BeachError, type Part } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import type { ApprovalDescription, PlannedTool, ToolRun } from '@cool-ai/beach-core/ports'
import { contentHash, defined, unknownOutcome } from '@cool-ai/beach-core/runtime'
import type { RecordedCall, RecordedRequest } from './recording.ts'
import type { ReplayPlace } from './replay-place.ts'

/** A tool that answers from the record, and whose approval is asked for in the words of the record. */
export function recordedTool<Value>(tool: PlannedTool<Value>, turnId: string, replay: ReplayPlace): PlannedTool<Value> {
  const { call } = tool
  const request = replay.requestLike(turnId, call.name, call.args)
  const expiresAt = request?.request.expiresAt
  const amount = replay.record.allowedAmount(turnId, contentHash([call.name, call.args]))
  const allowed = amount && { title: call.name, amount }
  const approval = request === undefined ? allowed : descriptionIn(request, call)
  return {
    call: expiresAt === undefined ? call : { ...call, approvalExpiresAt: Date.parse(expiresAt) },
    // What describes a call may look it up elsewhere.
    describe: tool.describe && (() => approval ?? undescribed(tool, turnId, replay)),
    revise: tool.revise && ((changed) => revised(tool, changed, turnId, replay)),
    run: (run) => answerFromRecord(run, call, replay) as Promise<Value>,
  }
}

/** A call that the record has neither asked for nor begun could not be described to its approver. */
function undescribed({ call }: PlannedTool<unknown>, turnId: string, replay: ReplayPlace): undefined {
  const alike = replay.record.callsOf(contentHash([call.name, call.args]))
  const isKnown = replay.requestLike(turnId, call.name, call.args) !== undefined || alike.length > 0
  if (replay.isFree || isKnown) return undefined
  throw new BeachError('NOT_RECORDED', 'Not recorded: what its approver was to be told could not be found out.')
}

function revised<Value>(
  tool: PlannedTool<Value>,
  changed: Readonly<Record<string, unknown>>,
  turnId: string,
  replay: ReplayPlace,
) {
  const made = tool.revise?.(changed) ?? { problems: ['they cannot be changed'] }
  if ('problems' in made) return made
  const { args } = tool.call
  const call = { ...tool.call, args: typeof args === 'object' ? { ...args, ...changed } : args }
  return recordedTool({ ...tool, call }, turnId, replay)
}

/** Does what the recorded call has done besides its result, in the order of the record, and returns that result. */
export async function answerFromRecord(
  run: ToolRun,
  call: { readonly name: string; readonly args: unknown },
  replay: ReplayPlace,
): Promise<unknown> {
  const callId = callIdOf(run.key)
  const recorded = replay.callLike(callId, contentHash([call.name, call.args]))
  if (recorded === undefined) throw replay.lacks('tool', call.name, call.args)
  const { started, finished } = recorded
  const { events } = replay.record
  // A call that runs again finds what it did before in the log.
  const before = replay.isFree ? 0 : replay.length
  const end = finished === undefined ? events.length : events.indexOf(finished)
  for (let place = events.indexOf(started) + 1; place < end; place++) {
    const event = events[place]
    const isLeft = event?.type === 'turnResumed' && event.turnId === started.turnId && place >= before
    if (isLeft && !replay.isFree) return replay.hang(run.signal, 'tool', call.name, call.args)
    const act = event && sideEffect({ event, place }, started.callId, run, replay)
    if (act === undefined || (event?.type === 'actorNoted' && place < before)) continue
    await replay.reach(place, run.signal)
    await act()
  }
  if (finished === undefined) return replay.hang(run.signal, 'tool', call.name, call.args)
  await replay.reach(end, run.signal)
  return resultOf(recorded)
}

/** What the event says that the call did, as something to do again. */
function sideEffect(
  { event, place }: { readonly event: SessionEvent; readonly place: number },
  callId: string,
  run: ToolRun,
  replay: ReplayPlace,
): (() => Promise<unknown>) | undefined {
  if (event.type === 'stepCommitted' && event.hash.startsWith(`~${callId}:`)) {
    const name = event.hash.slice(callId.length + 2)
    const { parts, turnState } = partsAt(replay.record.events, place)
    const state = turnState === 'delegated' ? 'delegated' : 'awaiting'
    return () => run.emit(parts, state, name.startsWith('@') ? name.slice(1) : undefined)
  }
  if (event.type === 'stepCommitted') return askIn(place, callId, run, replay)
  if (event.type === 'actorNoted' && event.kind === `tool:${callId}`) return () => run.note(event.payload?.value)
  if (event.type === 'manifestOpened' && event.manifestId.startsWith(`${callId}-m`)) {
    const { name, slots, deadline, at, payload } = event
    const plans = slots.map(({ slot, work, slotKey, mergeStrategy, kind }) => {
      return [slot, defined({ work, args: payload?.args[slot], slotKey, mergeStrategy, kind })] as const
    })
    const deadlineMs = deadline === undefined ? undefined : deadline - at
    return () => run.manifest(defined({ name, slots: Object.fromEntries(plans), deadlineMs }))
  }
  return undefined
}

/** What the tool asked an approver in this step, if it did: without a decision, that ends the run. */
function askIn(place: number, callId: string, run: ToolRun, replay: ReplayPlace) {
  const stem = `${callId.replace('turn_', 'approval_').replace('.tool', '_')}-a`
  const asked = replay.record.requestsIn(place).filter(({ request }) => request.approvalId.startsWith(stem))
  if (asked.length === 0) return undefined
  return async () => {
    for (const one of asked) {
      const { toolName, args, expiresAt: until } = one.request
      const approval = descriptionIn(one, { name: toolName, args })
      const expiresAt = until === undefined ? undefined : Date.parse(until)
      await run.approve({ toolName, args, expiresAt, approval })
    }
  }
}

/** The call that a key of a tool's run is of. */
export function callIdOf(key: string): string {
  return key.slice(key.indexOf(':turn_') + 1)
}

/** The parts of a step, and the state that it left the turn in. */
function partsAt(events: readonly SessionEvent[], place: number): { parts: Part[]; turnState: string } {
  const step = events[place]
  const parts: Part[] = []
  if (step?.type !== 'stepCommitted') return { parts, turnState: 'awaiting' }
  const ids = new Set(step.partIds)
  for (const event of events.slice(place + 1)) {
    if (event.type === 'partReceived' && ids.has(event.partId) && event.payload) parts.push(event.payload.part)
    if (event.type === 'turnStateChanged' && event.turnId === step.turnId) {
      return { parts, turnState: event.turnState }
    }
  }
  return { parts, turnState: 'awaiting' }
}

function resultOf({ finished }: RecordedCall): unknown {
  const value = finished?.payload?.value
  if (finished?.outcome === 'ok') return value
  const reason = String(value)
  const details = finished?.outcome === 'unknown' ? { outcome: 'unknown' } : {}
  // What is appended to the reason of an unknown outcome is appended again.
  const said = finished?.outcome === 'unknown' ? reason.replace(` ${unknownOutcome}`, '') : reason
  throw new BeachError('NOT_RECORDED', said, { details })
}

/** What the author said of the call: the words of the tool's definition are not among it. */
function descriptionIn(
  { metadata }: RecordedRequest,
  call: { readonly name: string; readonly args: unknown; readonly approvalNotice?: string | undefined },
): ApprovalDescription | undefined {
  const { about, callHash } = metadata as { about?: Record<string, unknown>; callHash?: string }
  const { name, args, approvalNotice } = call
  const plain = approvalNotice === undefined ? [name, args] : [name, args, approvalNotice]
  if (about === undefined || callHash === contentHash(plain)) return undefined
  const { labels: _, editable, ...said } = about
  const names = typeof editable === 'object' && editable !== null ? Object.keys(editable) : undefined
  return { ...said, ...defined({ editable: names }) } as unknown as ApprovalDescription
}
