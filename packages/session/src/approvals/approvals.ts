import {
  BeachError,
  type Approver,
  type Decision,
  type Part,
  type Principal,
  type Store,
  type ToolCall,
} from '@cool-ai/beach-core'
import {
  sessionSlice,
  sliceState,
  type ApprovalDecided,
  type ApprovalVoided,
  type EventDraft,
  type SessionState,
} from '@cool-ai/beach-core/log'
import {
  mayApprove,
  mayDecideAdmin,
  principalKey,
  type ApprovalDescription,
  type Decided,
} from '@cool-ai/beach-core/ports'
import { defined, inWords } from '@cool-ai/beach-core/runtime'
import {
  approvalRequestSchema,
  type ApprovalAbout,
  type ApprovalRequest,
  type ApprovalResponse,
} from '@cool-ai/beach-protocol/parts'
import { pendingApprovals, turnSlice, type ApprovalEntry } from '../turn/turn-slice.ts'
import type { MadeDecision } from './decisions.ts'

/** The index entries come first: without its request an entry is harmless, while a request without one is not found. */
export async function bindApprovals(
  store: Store,
  { session, tenant }: { readonly session: string; readonly tenant: string },
  parts: readonly Part[],
): Promise<void> {
  for (const part of parts) {
    const request = requestOf(part)
    if (request === undefined) continue
    const owner = await store.bind(approvalKeyOf(request.approvalId), session)
    if (owner !== session) throw new BeachError('INVALID_PART', 'This approval id is already in use.')
    await store.bind(waitingKeyOf(tenant, request.approvalId), session)
  }
}

/** The key under which approvers find what waits for them; it goes with the decision. */
export function waitingKeyOf(tenant: string, approvalId: string): string {
  return `waiting:${encodeURIComponent(tenant)}:${approvalId}`
}

/** The key under which a pending approval is found without knowing its session. */
export function approvalKeyOf(approvalId: string): string {
  return `approval:${approvalId}`
}

const maxNoticeLength = 10_000

/** Where an approval is asked for, and what its approver is told. */
export interface ApprovalPlace {
  readonly approvalId: string
  readonly callId: string
  /** Of the call with what its approver is told: a grant is for exactly that. */
  readonly hash: string
  readonly actor: string
  readonly turnId: string
  readonly session: string
  readonly approval?: ApprovalDescription | undefined
  /** Why it is asked, where the content of the turn is why. */
  readonly because?: string | undefined
}

/** The part that asks for a tool call's approval. */
export function approvalPart(call: ToolCall, place: ApprovalPlace): Part {
  const { args, approvalExpiresAt, approvalNotice } = call
  const about = approvalAbout(call, place)
  const data: ApprovalRequest = defined({
    approvalId: place.approvalId,
    toolName: call.name,
    toolCallId: call.toolCallId ?? place.callId,
    args: typeof args === 'object' && args !== null && !Array.isArray(args) ? { ...args } : { value: args },
    handler: place.actor,
    turn: place.turnId,
    session: place.session,
    expiresAt: approvalExpiresAt === undefined ? undefined : new Date(approvalExpiresAt).toISOString(),
  })
  const level = call.approvalLevel === undefined ? undefined : { level: call.approvalLevel }
  const told = [place.because, approvalNotice].filter((line) => line !== undefined).join('\n')
  const notice = told === '' ? undefined : { notice: told.slice(0, maxNoticeLength) }
  return { data, metadata: { partType: 'approval-request', callHash: place.hash, ...level, ...notice, ...about } }
}

const maxTitleLength = 300
const maxSummaryLength = 2_000
const maxDetails = 50

/** What the request says of itself for people: the author's words, and else those of the tool's definition. */
function approvalAbout(
  { name, words = {}, schema, approvalLevel }: ToolCall,
  { approval, because }: Pick<ApprovalPlace, 'approval' | 'because'>,
): { readonly about?: ApprovalAbout } {
  const title = approval?.title ?? words.title
  if (title === undefined && words.labels === undefined) return {}
  const details = Object.entries(approval?.details ?? {}).slice(0, maxDetails)
  const mayAllow = approval?.allowForSession === true && approvalLevel !== 'admin' && because === undefined
  const about: ApprovalAbout = defined({
    title: (title?.trim() || inWords(name)).slice(0, maxTitleLength),
    summary: (approval === undefined ? words.summary : approval.summary)?.slice(0, maxSummaryLength),
    details: details.length === 0 ? undefined : Object.fromEntries(details),
    labels: words.labels,
    risk: approval?.risk,
    editable: editableSchemas(approval?.editable, schema),
    allowForSession: mayAllow ? (true as const) : undefined,
    amount: approval?.amount,
    surface: approval?.surface,
  })
  return { about }
}

/** The schemas of the arguments that may be changed. One without a schema cannot be. */
function editableSchemas(names: readonly string[] = [], schema: ToolCall['schema']): ApprovalAbout['editable'] {
  const properties = schema?.properties
  if (typeof properties !== 'object' || properties === null) return undefined
  const found = Object.entries(properties).filter(([name]) => names.includes(name))
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** A decision as a part, for readers of the turn. */
export function responsePart({ approvalId, decision, at, payload }: ApprovalDecided): Part {
  const { args, via, ...made } = payload ?? {}
  const response: ApprovalResponse = { approvalId, decision, decidedAt: new Date(at).toISOString(), ...made }
  return { data: response, metadata: { partType: 'approval-response', ...defined({ args, via }) } }
}

/** The answer to a request that no longer counts. */
export function voidPart({ approvalId }: ApprovalVoided): Part {
  return { data: { approvalId, decision: 'denied' }, metadata: { partType: 'approval-response' } }
}

/** The events that put a step's approval requests on record. */
export function requestDrafts(turnId: string, parts: readonly Part[]): EventDraft[] {
  return parts.flatMap((part) => {
    const request = requestOf(part)
    if (request === undefined) return []
    const { approvalId, expiresAt } = request
    const expiry = expiresAt === undefined ? undefined : { expiresAt: Date.parse(expiresAt) }
    const { callHash, level } = part.metadata
    const call = typeof callHash === 'string' ? { hash: callHash } : undefined
    const admin = level === 'admin' ? { level: 'admin' as const } : undefined
    return [{ type: 'approvalRequested', turnId, approvalId, ...expiry, ...call, ...admin } satisfies EventDraft]
  })
}

/** The approvers when neither the session nor the agent names others. */
export const defaultApprovers: readonly Approver[] = ['owner', 'operator']

/** When a decision comes, and who may make it where the session does not say. */
export interface DecisionPolicy {
  readonly now: number
  readonly approvers: readonly Approver[]
}

/** Whether a principal may decide an approval of a session; `approvers` are the agent's own. */
export function mayDecide(
  state: SessionState,
  approvalId: string,
  by: Principal,
  approvers: readonly Approver[],
): boolean {
  const { owner, approvers: own } = sliceState(sessionSlice, state)
  if (owner === undefined || owner.tenant !== by.tenant) return false
  const { turn, closedApprovals } = sliceState(turnSlice, state)
  const approval = turn?.approvals.find((entry) => entry.approvalId === approvalId)
  const { alsoAsked = [] } = approval ?? closedApprovals.find((entry) => entry.approvalId === approvalId) ?? {}
  const isAsked = alsoAsked.some(({ principal }) => principal === principalKey(by))
  if (!isAsked && !mayApprove(own ?? approvers, owner, by)) return false
  return approval?.level !== 'admin' || mayDecideAdmin(by)
}

/** What a decision comes to, and the event that records it when it is the first. */
function decideApproval(
  state: SessionState,
  approvalId: string,
  made: MadeDecision,
  { now, approvers }: DecisionPolicy,
): { readonly decided: DecisionOutcome; readonly drafts: EventDraft[] } {
  const { decision, reason, dedupeKey, by, args, via, allowance } = made
  const { turn, closedApprovals } = sliceState(turnSlice, state)
  const approval = turn?.approvals.find((entry) => entry.approvalId === approvalId)
  // A caller that may not decide learns only that there is nothing to decide.
  if (!mayDecide(state, approvalId, by, approvers)) return { decided: 'notFound', drafts: [] }
  const repeated = repeatedDecision([...(turn?.approvals ?? []), ...closedApprovals], approvalId, made)
  if (repeated !== undefined) return { decided: repeated, drafts: [] }
  if (turn === undefined || approval === undefined) {
    const isClosed = closedApprovals.some((entry) => entry.approvalId === approvalId)
    return { decided: isClosed ? 'already' : 'notFound', drafts: [] }
  }
  if (approval.decision !== undefined || approval.isVoid || turn.cancelled) return { decided: 'already', drafts: [] }
  if (approval.expiresAt !== undefined && approval.expiresAt <= now) return { decided: 'expired', drafts: [] }
  const payload = { decidedBy: principalKey(by), ...defined({ reason, args, via }) }
  const { turnId } = turn
  const header = defined({ dedupeKey, allow: allowance })
  const draft: EventDraft = { type: 'approvalDecided', turnId, approvalId, decision, ...header, payload }
  return { decided: 'decided', drafts: [draft] }
}

/** The decider of an expired approval. */
export const expiry = 'expiry'

/** Denials of approvals that have expired. */
export function expiryDrafts(state: SessionState, now: number): EventDraft[] {
  const { turn } = sliceState(turnSlice, state)
  if (turn === undefined) return []
  const payload = { decidedBy: expiry, reason: 'No decision was made in time.' }
  return pendingApprovals(turn)
    .filter((approval) => approval.expiresAt !== undefined && approval.expiresAt <= now)
    .map(({ approvalId }) => ({
      type: 'approvalDecided',
      turnId: turn.turnId,
      approvalId,
      decision: 'denied',
      payload,
    }))
}

function requestOf(part: Part): ApprovalRequest | undefined {
  if (part.metadata.partType !== 'approval-request') return undefined
  return approvalRequestSchema.safeParse(part.data).data
}

/** The outcome of a decision; `mismatch` when its key was used for another one. */
export type DecisionOutcome = Decided | 'mismatch'

/** An earlier decision, as far as it must be known. */
type EarlierDecision = Pick<Decision, 'dedupeKey'> & Pick<ApprovalEntry, 'approvalId' | 'decision'>

/** The outcome of a decision whose key was used before; undefined when it was not. */
function repeatedDecision(
  before: readonly EarlierDecision[],
  approvalId: string,
  { decision, dedupeKey }: MadeDecision,
): 'decided' | 'mismatch' | undefined {
  const same = dedupeKey === undefined ? undefined : before.find((entry) => entry.dedupeKey === dedupeKey)
  if (same === undefined) return undefined
  return same.approvalId === approvalId && same.decision === decision ? 'decided' : 'mismatch'
}

/** The outcomes of decisions that arrive together: the first that counts is written, the others get its outcome. */
export function decideBatch(
  state: SessionState,
  approvalId: string,
  batch: readonly MadeDecision[],
  policy: DecisionPolicy,
): { readonly outcomes: ReadonlyMap<MadeDecision, DecisionOutcome>; readonly drafts: EventDraft[] } {
  const outcomes = new Map<MadeDecision, DecisionOutcome>()
  let written: { readonly by: MadeDecision; readonly drafts: EventDraft[] } | undefined
  for (const made of batch) {
    const { decided, drafts } = decideApproval(state, approvalId, made, policy)
    if (drafts.length === 0) outcomes.set(made, decided)
    else if (written === undefined) {
      outcomes.set(made, decided)
      written = { by: made, drafts }
    } else outcomes.set(made, repeatedDecision([{ ...written.by, approvalId }], approvalId, made) ?? 'already')
  }
  return { outcomes, drafts: written?.drafts ?? [] }
}
