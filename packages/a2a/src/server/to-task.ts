import {
  Role,
  type Artifact,
  type Message as A2aMessage,
  type Part as A2aPart,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk'
import type { AttachFile } from '@cool-ai/beach-channel'
import type { Envelope, Originator, Part, Principal, Sessions, SessionView } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalQuestion, askedApproval, expiryText } from '@cool-ai/beach-protocol'
import { acceptedForms, wordsOf } from './accepted-forms.ts'
import { approvalAskedBy, approvalOfSurface } from './approval-part.ts'
import {
  allOutboundParts,
  extensionsOf,
  isShownInWords,
  outboundParts,
  plainParts,
  type PartReader,
} from './outbound-parts.ts'
import { textPart } from './part-forms.ts'
import type { ArtifactEntry, TaskProjection } from './task-projection.ts'

interface TaskSessions {
  envelope: Sessions['envelope']
  view(session: string, by: Principal): Promise<Pick<SessionView, 'turn'>>
}

/** What is needed to write a task for a caller. */
export interface TaskReader extends Omit<PartReader, 'attach'> {
  readonly sessions: TaskSessions
  readonly to: Originator
  /** Begins to attach files to one answer. */
  readonly attaches?: (() => AttachFile) | undefined
}

/** How a task stands: its status, and what there is to know of its turn. */
interface TaskProgress {
  readonly status: TaskStatus
  readonly metadata: Task['metadata']
}

/** The task as this reader may have it, with at most so many messages of its history. */
export async function toTask(
  projection: TaskProjection,
  reader: TaskReader,
  options: { readonly historyLength?: number | undefined; readonly artifacts?: boolean } = {},
): Promise<Task> {
  const { taskId: id, contextId, artifacts, history } = projection
  // A Beach peer shows its user the link, and keeps no files of others.
  const attach = reader.to.consumes === undefined ? reader.attaches?.() : undefined
  // The files of the answer come before those that are said next to it.
  const made = options.artifacts === false ? [] : await toArtifacts(artifacts, { ...reader, attach })
  return {
    id,
    contextId,
    ...(await progressOf(projection, reader, attach)),
    artifacts: made,
    history: lastOf(history, options.historyLength).map((message) => historyMessage(message, projection, reader)),
  }
}

/** A message of the history; one of the agent is written as its caller takes it. */
export function historyMessage(message: A2aMessage, projection: TaskProjection, reader: TaskReader): A2aMessage {
  const asked = projection.questionIn(message)
  if (asked === undefined || reader.accepts === undefined) return message
  return { ...message, parts: asked.flatMap((part) => neededParts(plainParts(part), part, reader)) }
}

/** The answer of a settled turn as one message, with all parts of its envelope; undefined when it has none. */
export async function toAnswer(projection: TaskProjection, reader: TaskReader): Promise<A2aMessage | undefined> {
  const envelope = await envelopeOf(projection, reader)
  if (envelope === undefined) return undefined
  // As a whole an answer has its files with it.
  const parts = await allOutboundParts(envelope.parts, { ...reader, attach: reader.attaches?.() })
  const { turnId } = envelope.meta
  return agentMessage(projection, turnId, parts.flat(), { meta: { ...envelope.meta } })
}

/**
 * The status, with what the agent says in it: a question, a request, an error. The parts of the answer are artifacts, and
 * not said again; what there is to know of the envelope is in the metadata.
 */
export async function progressOf(
  projection: TaskProjection,
  reader: TaskReader,
  attach?: AttachFile,
): Promise<TaskProgress> {
  const { state, at, turnId } = projection
  const timestamp = at === 0 ? undefined : new Date(at).toISOString()
  const metadata = taskMetadata(projection)
  if (turnId === undefined || !projection.isSettled) {
    const isAsking = turnId !== undefined && projection.isAsking
    const message = isAsking ? agentMessage(projection, turnId, await askedParts(projection, reader)) : undefined
    return { status: { state, message, timestamp }, metadata }
  }
  const said = new Set([...projection.artifacts.keys(), ...projection.remarks])
  const rest = await envelopeOf(projection, reader, said)
  if (rest === undefined) return { status: { state, message: undefined, timestamp }, metadata }
  const parts = await allOutboundParts(rest.parts, { ...reader, attach }, { isNeeded: true })
  const message = agentMessage(projection, turnId, parts.flat())
  return { status: { state, message, timestamp }, metadata: { ...metadata, meta: { ...rest.meta } } }
}

async function envelopeOf(
  { turnId, isSettled, place, cursor }: TaskProjection,
  { sessions, to }: TaskReader,
  without?: ReadonlySet<string>,
): Promise<Envelope | undefined> {
  if (turnId === undefined || !isSettled) return undefined
  const seen = cursor === undefined ? undefined : Number(cursor)
  return sessions.envelope(place.session, turnId, to, seen, place.seq, without)
}

export function taskMetadata(projection: TaskProjection): Record<string, unknown> | undefined {
  const { turnId, turnState, peer, decisions } = projection
  if (turnId === undefined) return undefined
  const who = turnState === 'delegated' && peer !== undefined && { peer }
  return { turnId, turnState, ...who, ...(decisions.length > 0 && { decisions: [...decisions] }) }
}

/** A part as an artifact; undefined where this reader gets nothing of it. */
export async function toArtifact(
  partId: string,
  entry: ArtifactEntry,
  reader: PartReader,
): Promise<Artifact | undefined> {
  return written(partId, entry, await outboundParts(entry.part, reader), reader)
}

async function toArtifacts(entries: TaskProjection['artifacts'], reader: PartReader): Promise<Artifact[]> {
  const parts = await allOutboundParts(
    Array.from(entries.values(), ({ part }) => part),
    reader,
  )
  return [...entries].flatMap(([partId, entry], index) => written(partId, entry, parts[index] ?? [], reader) ?? [])
}

/** An artifact of parts as they are written; what its caller takes in no form is left out. */
function written(partId: string, entry: ArtifactEntry, parts: A2aPart[], reader: PartReader): Artifact | undefined {
  if (parts.length === 0) return undefined
  return { ...artifactOf(partId, parts, artifactMetadata(entry)), extensions: extensionsOf(parts, reader) }
}

function artifactMetadata({ part, turnId, actor, seq }: ArtifactEntry): ArtifactMetadata {
  return { partType: part.metadata.partType, turnId, ...defined({ actor, seq }) }
}

interface ArtifactMetadata {
  readonly partType: string
  readonly turnId?: string
  /** The actor that began the turn. */
  readonly actor?: string
  readonly seq?: number
}

/** One artifact for each part, since appending to one adds parts, and not text. */
export function artifactOf(partId: string, parts: A2aPart[], metadata: ArtifactMetadata): Artifact {
  return {
    artifactId: partId,
    name: metadata.partType,
    description: '',
    parts,
    metadata: { ...metadata },
    extensions: [],
  }
}

const answerInWords = 'Answer to this task with "yes" or "no" and nothing else.'

function answerAsData(approvalId: string): string {
  return `Answer to this task with one data part { "approvalId": "${approvalId}", "decision": "granted" }, or "denied".`
}

/** What an open turn waits for. */
async function askedParts(projection: TaskProjection, reader: TaskReader): Promise<A2aPart[]> {
  if (!projection.isHeld) return approvals(projection, reader)
  return projection.asked.flatMap((part) => neededParts(plainParts(part), part, reader))
}

/** What the caller must be told, as it takes it. */
function neededParts(own: A2aPart[], part: Part, reader: TaskReader, words = () => wordsOf(part, reader)): A2aPart[] {
  return acceptedForms(own, part, { words, isNeeded: true }, reader)
}

/** The undecided requests: in words, as data, and as the surface that decides them. */
async function approvals(projection: TaskProjection, reader: TaskReader): Promise<A2aPart[]> {
  const { turn } = await reader.sessions.view(projection.place.session, reader.to.principal)
  const pending = turn?.turnId === projection.turnId ? turn?.pendingApprovals : undefined
  const waits = (part: Part) => pending === undefined || pending.includes(approvalAskedBy(part) ?? '')
  const asked = projection.asked.filter(waits)
  const isOne = asked.filter((part) => approvalOfSurface(part) === undefined).length === 1
  return asked.flatMap((part) => {
    // Where the surface cannot be shown, the request has said the same.
    if (approvalOfSurface(part) !== undefined) return isShownInWords(part, reader) ? [] : plainParts(part, reader)
    const own = plainParts(part)
    const request = askedApproval(part)
    if (request === undefined) return own
    const how = isOne ? answerInWords : answerAsData(request.request.approvalId)
    const words = `${approvalQuestion(request)}\n${how}${expiryText(request)}`
    // A Beach peer asks in its own words.
    const said = reader.to.consumes === undefined ? [textPart(words, { partType: 'clarify' }), ...own] : own
    return neededParts(said, part, reader, () => words)
  })
}

function agentMessage(
  { contextId, taskId }: TaskProjection,
  messageId: string,
  parts: A2aPart[],
  metadata?: A2aMessage['metadata'],
): A2aMessage | undefined {
  // A message of A2A has a part at least.
  if (parts.length === 0) return undefined
  return {
    messageId,
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  }
}

function lastOf(history: readonly A2aMessage[], max: number | undefined): A2aMessage[] {
  if (max === undefined) return [...history]
  return max === 0 ? [] : history.slice(-max)
}
