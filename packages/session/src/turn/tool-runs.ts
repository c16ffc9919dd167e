import {
  BeachError,
  isBeachError,
  type AuthoredPart,
  type DataRule,
  type ManifestPlan,
  type Part,
  type Runtime,
  type ToolCall,
  type ToolOutcome,
  type TurnState,
} from '@cool-ai/beach-core'
import { sliceState, type ApprovalDecided, type EventDraft } from '@cool-ai/beach-core/log'
import type {
  Allowance,
  ApprovalAsked,
  ApprovalDescription,
  DecisionMade,
  Emit,
  PlannedTool,
  ShowLive,
} from '@cool-ai/beach-core/ports'
import { declaredOrigins, failureOrigins, isForeign } from '@cool-ai/beach-core/ports'
import { contentHash, defined, outcomeOf, unknownOutcome } from '@cool-ai/beach-core/runtime'
import { allowanceSlice, coveringAllowance } from '../approvals/allowance-slice.ts'
import { approvalPart, type ApprovalPlace } from '../approvals/approvals.ts'
import { isWithClient, notOffered, waitOf } from '../clients/call-client.ts'
import type { LazyAbortController } from '../host/signals.ts'
import { replayMismatch } from './step.ts'
import { noteDraft, type TurnMaterial } from './turn-material.ts'
import { originRuling } from './origin-rules.ts'
import type { TurnStart } from './turn-run.ts'
import type { OpenTurn, ToolEntry } from './turn-slice.ts'

/** What the tools of a run need of it. */
export interface ToolRunContext {
  readonly start: TurnStart
  readonly stop: LazyAbortController
  readonly runtime: Pick<Runtime, 'logger' | 'telemetry'>
  append(drafts: readonly EventDraft[]): Promise<void>
  /** Emits a part while a tool runs. */
  emit(parts: readonly AuthoredPart[], place: string, turnState: TurnState): Promise<void>
  /** Shows text that a tool will emit, or retracts it. */
  live(name: string, more: Parameters<ShowLive>[1]): void
  /** A call has ended: text that it has shown and not emitted is retracted. */
  ended(callId: string): void
  /** Ends the run until an approver decides; the parts request it. */
  suspend(requests: readonly Part[]): Promise<never>
  /** Ends the run until clients have run what they were called for. */
  awaitClients(): Promise<never>
  now(): number
  /** The origins of all that the turn has seen so far. */
  origins(): readonly string[]
  /** The turn sees content of these origins from now on. */
  sees(origins: readonly string[]): void
  readonly dataRules: readonly DataRule[]
  /** What the trusted side of the session has written. */
  trustedTexts(): Promise<readonly string[]>
  /** Opens a manifest for a tool, at a place of its run. */
  manifest(plan: ManifestPlan, place: string): Promise<string>
}

interface Placed<Value> extends PlannedTool<Value> {
  readonly callId: string
  readonly hash: string
  readonly before: ToolEntry | undefined
}

interface Planned<Value> extends Placed<Value> {
  readonly approval: ApprovalDescription | undefined
  /** What an approval is for: the call, and what the approver is told of it. */
  readonly askedHash: string
  readonly approvalId: string
  /** Why it is asked about, where the content of the turn is why. */
  readonly because?: string | undefined
  /** What was allowed before and grants it, and how much of that it uses. */
  readonly allowance?: ApprovalDecided['allowance'] | undefined
}

// How often a call may change while its approval is pending.
const maxRevisions = 10

type Ended = 'ok' | 'failed' | 'unknown'

/**
 * The tools of one run: each is in the log before it starts and when it has ended. One that may run twice starts at once,
 * and when it ends in the same round of the event loop, its start and its end are one write.
 */
export class ToolRuns {
  readonly #run: ToolRunContext
  readonly #session: string
  readonly #turn: OpenTurn
  readonly #material: TurnMaterial
  #allowances: readonly Allowance[]
  #next = 0
  /** Starts that are written with the next event of a tool, or in the next round of the event loop. */
  #started: EventDraft[] = []
  #appended: Promise<void> = Promise.resolve()

  constructor(run: ToolRunContext) {
    this.#run = run
    this.#session = run.start.record.session
    this.#turn = run.start.turn
    this.#material = run.start.material
    this.#allowances = sliceState(allowanceSlice, run.start.record.state)
  }

  /** Runs tools of the actor; a call that the turn begins with has a `place` of its own, whichever actor runs. */
  async run<Value>(tools: readonly PlannedTool<Value>[], place?: string): Promise<ToolOutcome<Value>[]> {
    // Positions are given before anything is awaited: a run that begins anew gives the same ones.
    const placed = tools.map((tool) => this.#place(tool, place ?? `${this.#turn.handoffs}-${this.#next++}`))
    const outcomes = new Map<string, ToolOutcome<Value>>()
    const planned: Planned<Value>[] = []
    for (const tool of placed) {
      const plan = await this.#plan(tool)
      if ('problem' in plan) outcomes.set(tool.callId, { outcome: 'failed', reason: plan.problem })
      else if ('denied' in plan) outcomes.set(tool.callId, { outcome: 'denied', reason: plan.denied })
      else planned.push(plan)
    }
    const outdated = this.#outdated(planned)
    if (outdated.length > 0) await this.#run.append(outdated)
    const begun = planned.filter((tool) => this.#beginsWithClient(tool))
    if (begun.length > 0) await this.#run.append(begun.flatMap((tool) => this.#startDrafts(tool)))
    const called = planned.filter((tool) => {
      return isWithClient(tool.before) || (begun.includes(tool) && tool.call.client?.originatorId !== undefined)
    })
    const waiting = planned.filter((tool) => this.#isUndecided(tool))
    const ready = planned.filter((tool) => !waiting.includes(tool) && !called.includes(tool))
    const asked: Part[][] = waiting.map((tool) => this.#request(tool))
    const voided: EventDraft[] = []
    await Promise.all(
      ready.map(async (tool) => {
        const outcome = await this.#outcome(tool)
        if (outcome instanceof Question) {
          asked.push(outcome.requests)
          voided.push(...outcome.voided)
        } else outcomes.set(tool.callId, outcome)
      }),
    )
    if (asked.length > 0) {
      await this.#append(voided)
      return this.#run.suspend(asked.flat())
    }
    if (called.length > 0) return this.#run.awaitClients()
    return placed.map(({ callId }) => outcomes.get(callId) ?? { outcome: 'unknown', reason: 'It was not run.' })
  }

  #place<Value>(tool: PlannedTool<Value>, place: string): Placed<Value> {
    const callId = `${this.#turn.turnId}.tool${place}`
    const hash = contentHash([tool.call.name, tool.call.args])
    const before = this.#turn.tools.find((entry) => entry.callId === callId)
    if (before !== undefined && before.hash !== hash) {
      throw replayMismatch(`the tool ${before.name}`, `the tool ${tool.call.name}`)
    }
    return { ...tool, callId, hash, before }
  }

  /** A call that has begun needs no description: what it was described by may be gone since. */
  async #plan<Value>(
    tool: Placed<Value>,
  ): Promise<Planned<Value> | { readonly problem: string } | { readonly denied: string }> {
    const ruled = await this.#ruled(tool)
    if ('denied' in ruled) return ruled
    const { callId, hash, before, describe } = tool
    const { call, because } = ruled
    let approval: ApprovalDescription | undefined
    try {
      const asks = before === undefined && call.requiresApproval === true
      approval = asks && describe !== undefined ? await describe() : call.approval
    } catch (error) {
      const { logger } = this.#run.runtime
      logger.log('warn', 'a call could not be described to its approver', { key: `${this.#session}:${callId}`, error })
      return { problem: isBeachError(error) ? error.message : 'The tool could not say what it would do.' }
    }
    const askedHash = askedHashOf(call, approval, hash)
    const approvalId = before === undefined ? this.#approvalId(callId, askedHash) : this.#grantOf(callId)
    const planned = { ...tool, call, because, approval, askedHash, approvalId }
    // What was allowed was allowed for what people want, and not for what foreign content says.
    return because === undefined && this.#isUndecided(planned) ? this.#allowed(planned) : planned
  }

  /** The call with what the origins of the turn's content mean for it. A call that has begun, or was asked about, stays so. */
  async #ruled({
    call,
    callId,
    before,
  }: Placed<unknown>): Promise<{ readonly call: ToolCall; readonly because?: string } | { readonly denied: string }> {
    const stem = approvalIdOf(callId, 0)
    const wasAsked = this.#turn.approvals.some(({ approvalId }) => isRevision(approvalId, stem))
    const requiresApproval = call.requiresApproval === true || wasAsked
    if (before !== undefined) return { call: { ...call, requiresApproval } }
    const { dataRules } = this.#run
    const trustedTexts = () => this.#run.trustedTexts()
    const ruling = await originRuling(call, { origins: this.#run.origins(), dataRules, trustedTexts })
    if (ruling === undefined) return { call: { ...call, requiresApproval } }
    if ('denied' in ruling) {
      await this.#run.append([
        {
          type: 'actorNoted',
          turnId: this.#turn.turnId,
          kind: 'data-rule',
          payload: { value: { tool: call.name, denied: ruling.denied } },
        },
      ])
      return ruling
    }
    const { approvedBy: _, approvalLevel = 'user', ...others } = call
    return { call: { ...others, approvalLevel, requiresApproval: true }, because: ruling.asked }
  }

  /** An approval is for exactly one call: another call in its place needs another approval. */
  #approvalId(callId: string, hash: string): string {
    const { approvals } = this.#turn
    for (let revision = 0; revision < maxRevisions; revision++) {
      const approvalId = approvalIdOf(callId, revision)
      const asked = approvals.find((approval) => approval.approvalId === approvalId)
      if (asked === undefined || (asked.isVoid !== true && (asked.hash === undefined || asked.hash === hash))) {
        return approvalId
      }
    }
    throw replayMismatch('ask for the approval of another call', 'one that has changed too often')
  }

  /** A call that an approver has allowed for the session is granted by that. */
  #allowed<Value>(tool: Planned<Value>): Planned<Value> {
    const { call, approval, approvalId } = tool
    if (call.approvalLevel === 'admin' || this.#turn.approvals.some((asked) => asked.approvalId === approvalId))
      return tool
    const covering = coveringAllowance(this.#allowances, call.name, approval?.amount)
    if (covering === undefined) return tool
    const allowance = { approvalId: covering.approvalId, value: approval?.amount?.value ?? 0 }
    // Other calls of this run find less of it left.
    this.#allowances = this.#allowances.map((one) => {
      return one === covering ? { ...one, used: one.used + allowance.value } : one
    })
    return { ...tool, allowance, call: { ...call, approvedBy: `allowance:${covering.approvalId}` } }
  }

  /** The approval by which a call has begun. */
  #grantOf(callId: string): string {
    const stem = approvalIdOf(callId, 0)
    const granted = this.#turn.approvals.findLast(({ approvalId, decision, isVoid }) => {
      return isRevision(approvalId, stem) && decision === 'granted' && isVoid !== true
    })
    return granted?.approvalId ?? stem
  }

  /** Requests for what these calls were before they changed. */
  #outdated(planned: readonly Planned<unknown>[]): EventDraft[] {
    const { turnId, approvals } = this.#turn
    return planned.flatMap(({ callId, approvalId, before }) => {
      const stem = approvalIdOf(callId, 0)
      const others = approvals.filter((asked) => {
        return asked.approvalId !== approvalId && isRevision(asked.approvalId, stem) && asked.isVoid !== true
      })
      if (before !== undefined) return []
      return others.map((asked): EventDraft => ({ type: 'approvalVoided', turnId, approvalId: asked.approvalId }))
    })
  }

  #isUndecided({ call, approvalId, before }: Planned<unknown>): boolean {
    if (before !== undefined || call.requiresApproval !== true || call.approvedBy !== undefined) return false
    return !this.#material.decisions.has(approvalId)
  }

  /** True for a call that its client is called for now: no client learns of what is not approved. */
  #beginsWithClient(tool: Planned<unknown>): boolean {
    const { call, before, approvalId } = tool
    if (call.client === undefined || before !== undefined || this.#isUndecided(tool)) return false
    const decided = call.requiresApproval === true ? this.#material.decisions.get(approvalId) : undefined
    return decided === undefined || (decided.decision === 'granted' && decided.args === undefined)
  }

  async #outcome<Value>(tool: Planned<Value>): Promise<ToolOutcome<Value> | Question> {
    const { call, callId, before, approvalId } = tool
    const decided = call.requiresApproval === true ? this.#material.decisions.get(approvalId) : undefined
    if (before === undefined && decided?.decision === 'denied') {
      return { outcome: 'denied', reason: decided.reason ?? 'This was not approved.' }
    }
    const changed = decided?.args
    if (before?.outcome !== undefined) return withChanges(this.#fromLog(callId, before.outcome), changed)
    if (call.client !== undefined && changed === undefined) return this.#failed(callId, notOffered(call.name))
    if (before !== undefined && !before.idempotent) return this.#unknown(callId)
    const revised = changed === undefined ? tool : revise(tool, changed)
    if ('problem' in revised) return { outcome: 'failed', reason: revised.problem }
    if (before === undefined) await this.#start(revised)
    const outcome = await this.#reported(revised)
    return outcome instanceof Question ? outcome : withChanges(outcome, changed)
  }

  /** The same as `#call`, with a report on it where reports are read. */
  #reported<Value>(tool: Planned<Value>): Promise<ToolOutcome<Value> | Question> {
    const { telemetry } = this.#run.runtime
    if (telemetry === undefined) return this.#call(tool)
    const { call, callId } = tool
    return telemetry.run({ kind: 'tool', name: call.name, callId }, async ({ found }) => {
      const outcome = await this.#call(tool)
      found({ outcome: outcome instanceof Question ? 'asks' : outcome.outcome })
      return outcome
    })
  }

  /** Resolves when the tool may run. */
  async #start(tool: Planned<unknown>): Promise<void> {
    const drafts = this.#startDrafts(tool)
    if (tool.call.idempotent !== true) return this.#append(drafts)
    this.#started.push(...drafts)
    // What the tool says next is appended after it, and fails with it.
    if (this.#started.length === drafts.length) setImmediate(() => void this.#append([]).catch(() => {}))
  }

  /** Appends events of tools, after the starts that wait; without events, the starts alone. */
  async #append(drafts: readonly EventDraft[]): Promise<void> {
    await this.#appended
    const all = [...this.#started, ...drafts]
    this.#started = []
    if (all.length > 0) this.#appended = this.#run.append(all)
    return this.#appended
  }

  #startDrafts({ call, callId, hash, askedHash, approvalId, allowance }: Planned<unknown>): EventDraft[] {
    const { turnId } = this.#turn
    const { name, args, idempotent = false, approvedBy, client } = call
    const waits = client && waitOf(client, this.#run.now())
    const place = { turnId, callId, name, hash, idempotent: client === undefined && idempotent }
    const started: EventDraft = { type: 'toolStarted', ...place, ...waits, payload: { args } }
    if (approvedBy === undefined) return [started]
    const payload = { decidedBy: approvedBy }
    return [
      { type: 'approvalRequested', turnId, approvalId, hash: askedHash },
      { type: 'approvalDecided', turnId, approvalId, decision: 'granted', ...defined({ allowance }), payload },
      started,
    ]
  }

  async #call<Value>({ run, callId, call }: Planned<Value>): Promise<ToolOutcome<Value> | Question> {
    const { stop } = this.#run
    const { logger } = this.#run.runtime
    const { signal } = stop
    const session = this.#session
    const key = `${session}:${callId}`
    let said = 0
    const emit: Emit = async (parts, turnState = 'awaiting', place) => {
      const at = `${callId}:${place === undefined ? said++ : `@${place}`}`
      await this.#append([])
      return this.#run.emit(parts, at, turnState)
    }
    const live: ShowLive = (name, more) => this.#run.live(`${callId}:@${name}`, more)
    let asked = 0
    const approve = async (request: ApprovalAsked) => this.#decision(request, call, `${callId}-a${asked++}`)
    let opened = 0
    const manifest = async (plan: ManifestPlan) => {
      const place = `${callId}-m${opened++}`
      await this.#append([])
      return this.#run.manifest(plan, place)
    }
    const note = (value: unknown) => this.#append([noteDraft(this.#turn.turnId, callId, value)])
    const noted = this.#material.toolNotes.get(callId)
    const origins = this.#run.origins().filter(isForeign)
    let outcome:
      | { readonly outcome: 'ok'; readonly value: Value }
      | { readonly outcome: 'failed' | 'unknown'; readonly reason: string }
    try {
      outcome = {
        outcome: 'ok',
        value: await run({ key, signal, emit, live, manifest, approve, note, noted, origins }),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Question) return error
      if (isBeachError(error, 'LEASE_LOST') || isBeachError(error, 'TURN_CLOSED')) throw error
      logger.log('warn', 'a tool failed', { session, key, error })
      outcome = failureOf(error, call.idempotent === true, 'The tool')
    } finally {
      this.#run.ended(callId)
    }
    // Outside the try: a tool that has taken effect is never recorded as failed because its result could not be
    // written.
    const from = this.#originsOf(call, outcome)
    await this.#finish(callId, outcome.outcome, outcome.outcome === 'ok' ? outcome.value : outcome.reason, from)
    return outcome
  }

  /** Where a result is from. That of the agent's own tools is recorded where a rule is about it. */
  #originsOf({ name, resultOrigin }: ToolCall, outcome: { readonly value: unknown } | { readonly reason: string }) {
    const said = 'value' in outcome ? declaredOrigins(resultOrigin, outcome.value) : failureOrigins(resultOrigin)
    const own = `tool:${name}`
    return this.#run.dataRules.some(({ from }) => from === own || from === 'tool') ? [...said, own] : said
  }

  /** The decision on what a tool asks while it runs; without one the tool is aborted, and run again when there is. */
  #decision(asked: ApprovalAsked, call: ToolCall, place: string): DecisionMade {
    if (call.idempotent !== true) {
      throw new BeachError('INVALID_STATE', `The tool ${call.name} cannot ask while it runs: it is not idempotent.`)
    }
    const { toolName: name, args, expiresAt, approval, schema, words } = asked
    const hash = askedHashOf({ name, args }, approval, contentHash([name, args]))
    const approvalId = `${approvalIdOf(place, 0)}-${hash.slice(0, 6)}`
    const decided = this.#material.decisions.get(approvalId)
    if (decided !== undefined) return decided
    const asks: ToolCall = { name, args, approvalExpiresAt: expiresAt, schema, words }
    throw new Question(
      this.#requestOnce(asks, { approvalId, callId: place, hash, approval }),
      this.#askedBefore(place, approvalId),
    )
  }

  /** An undecided request from the same place of a tool, which asks something else now. */
  #askedBefore(place: string, approvalId: string): EventDraft[] {
    const { approvals, turnId } = this.#turn
    const stem = `${approvalIdOf(place, 0)}-`
    const others = approvals.filter(({ approvalId: id, decision, isVoid }) => {
      return id.startsWith(stem) && id !== approvalId && decision === undefined && isVoid !== true
    })
    return others.map((asked): EventDraft => ({ type: 'approvalVoided', turnId, approvalId: asked.approvalId }))
  }

  #fromLog<Value>(callId: string, outcome: Ended): ToolOutcome<Value> {
    const value = this.#material.toolValues.get(callId)
    return outcome === 'ok' ? { outcome, value: value as Value } : { outcome, reason: String(value) }
  }

  async #failed<Value>(callId: string, reason: string): Promise<ToolOutcome<Value>> {
    await this.#finish(callId, 'failed', reason)
    return { outcome: 'failed', reason }
  }

  async #unknown<Value>(callId: string): Promise<ToolOutcome<Value>> {
    const reason = 'The process ended while this tool ran; whether it took effect is not known.'
    await this.#finish(callId, 'unknown', reason)
    return { outcome: 'unknown', reason }
  }

  async #finish(callId: string, outcome: Ended, value: unknown, origins: readonly string[] = []): Promise<void> {
    const { turnId } = this.#turn
    const from = origins.length === 0 ? undefined : { origins }
    await this.#append([{ type: 'toolFinished', turnId, callId, outcome, ...from, payload: { value } }])
    this.#run.sees(origins)
  }

  #request({ call, callId, askedHash, approvalId, approval, because }: Planned<unknown>): Part[] {
    return this.#requestOnce(call, { approvalId, callId, hash: askedHash, approval, because })
  }

  /** The part that asks, unless it was asked before. */
  #requestOnce(
    call: ToolCall,
    place: Pick<ApprovalPlace, 'approvalId' | 'callId' | 'hash' | 'approval' | 'because'>,
  ): Part[] {
    const { approvalId } = place
    if (this.#turn.approvals.some((approval) => approval.approvalId === approvalId)) return []
    const { actor, turnId } = this.#turn
    return [approvalPart(call, { ...place, actor, turnId, session: this.#session })]
  }
}

/** The call with the arguments that its approver has changed. It keeps its hash: it stands for the call that was made. */
function revise<Value>(
  tool: Planned<Value>,
  changed: Readonly<Record<string, unknown>>,
): Planned<Value> | { readonly problem: string } {
  const revised = tool.revise?.(changed) ?? { problems: ['they cannot be changed'] }
  if ('problems' in revised) {
    return { problem: `The approver has changed arguments, which are wrong now: ${revised.problems.join('; ')}` }
  }
  const args = typeof tool.call.args === 'object' ? { ...tool.call.args, ...changed } : tool.call.args
  return { ...tool, run: revised.run, call: { ...tool.call, args } }
}

function withChanges<Value>(outcome: ToolOutcome<Value>, changed: DecisionMade['args']): ToolOutcome<Value> {
  return outcome.outcome === 'ok' && changed !== undefined ? { ...outcome, changed } : outcome
}

/** Why a tool was left in the middle: an approver has to decide first. */
class Question extends Error {
  readonly requests: Part[]
  /** Requests that no longer count because of it. */
  readonly voided: EventDraft[]

  constructor(requests: Part[], voided: EventDraft[]) {
    super('An approver has to decide first.')
    this.requests = requests
    this.voided = voided
  }
}

/** Of all that the approver is told by the author. What the tool's definition says besides may change with a release. */
function askedHashOf(
  { name, args, approvalNotice }: ToolCall,
  approval: ApprovalDescription | undefined,
  hash: string,
): string {
  if (approval !== undefined) return contentHash([name, args, approvalNotice ?? null, approval])
  return approvalNotice === undefined ? hash : contentHash([name, args, approvalNotice])
}

/** Derived from the call, so that a run that begins anew finds the decision again. */
function approvalIdOf(callId: string, revision: number): string {
  const id = callId.replace('turn_', 'approval_').replace('.tool', '_')
  return revision === 0 ? id : `${id}r${revision}`
}

function isRevision(approvalId: string, stem: string): boolean {
  return approvalId === stem || (approvalId.startsWith(`${stem}r`) && /^\d+$/.test(approvalId.slice(stem.length + 1)))
}

/** The outcome of a tool, or work, that threw, and what its actor gets to know of it. */
export function failureOf(
  error: unknown,
  isIdempotent: boolean,
  what: string,
): { readonly outcome: 'failed' | 'unknown'; readonly reason: string } {
  const outcome = outcomeOf(error, isIdempotent)
  if (outcome === 'failed') return { outcome, reason: isBeachError(error) ? error.message : `${what} failed.` }
  const said = isBeachError(error) ? error.message : `${what} did not come to its end.`
  return { outcome, reason: `${said} ${unknownOutcome}` }
}
