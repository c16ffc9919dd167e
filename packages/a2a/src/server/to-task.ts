import {
  Role,
  TaskState,
  type Artifact,
  type Message as A2aMessage,
  type Part as A2aPart,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk'
import type { Originator, Part, Principal, Sessions, SessionView } from '@cool-ai/beach-core'
import { allOutboundParts, outboundParts, plainParts, textPart, type PartReader } from './outbound-parts.ts'
import type { ArtifactEntry, TaskProjection } from './task-projection.ts'

interface TaskSessions {
  envelope: Sessions['envelope']
  view(session: string, by: Principal): Promise<Pick<SessionView, 'turn'>>
}

/** What is needed to write a task for a caller. */
export interface TaskReader extends PartReader {
  readonly sessions: TaskSessions
  readonly to: Originator
}

/** The task as this reader may have it, with at most so many messages of its history. */
export async function toTask(
  projection: TaskProjection,
  reader: TaskReader,
  options: { readonly historyLength?: number | undefined; readonly artifacts?: boolean } = {},
): Promise<Task> {
  const { taskId: id, contextId, artifacts, history } = projection
  return {
    id,
    contextId,
    status: await toStatus(projection, reader),
    artifacts: options.artifacts === false ? [] : await toArtifacts(artifacts, reader),
    history: lastOf(history, options.historyLength),
    metadata: taskMetadata(projection),
  }
}

/** The status, with what the agent says in it: the settled envelope, a question, or nothing while it works. */
export async function toStatus(projection: TaskProjection, reader: TaskReader): Promise<TaskStatus> {
  const { state, at } = projection
  const message = await statusMessage(projection, reader)
  return { state, message, timestamp: at === 0 ? undefined : new Date(at).toISOString() }
}

export function taskMetadata({ turnId, turnState, peer }: TaskProjection): Record<string, unknown> | undefined {
  if (turnId === undefined) return undefined
  return { turnId, turnState, ...(turnState === 'delegated' && peer !== undefined && { peer }) }
}

export async function toArtifact(partId: string, { part, seq }: ArtifactEntry, reader: PartReader): Promise<Artifact> {
  return artifactOf(partId, part.metadata.partType, await outboundParts(part, reader), seq)
}

async function toArtifacts(entries: TaskProjection['artifacts'], reader: PartReader): Promise<Artifact[]> {
  const parts = await allOutboundParts(
    Array.from(entries.values(), ({ part }) => part),
    reader,
  )
  return Array.from(entries, ([partId, { part, seq }], index) =>
    artifactOf(partId, part.metadata.partType, parts[index] ?? [], seq),
  )
}

/** One artifact for each part, since appending to one adds parts, and not text. */
export function artifactOf(partId: string, partType: string, parts: A2aPart[], seq?: number): Artifact {
  const metadata = { partType, ...(seq !== undefined && { seq }) }
  return { artifactId: partId, name: partType, description: '', parts, metadata, extensions: [] }
}

async function statusMessage(projection: TaskProjection, reader: TaskReader): Promise<A2aMessage | undefined> {
  const { turnId, isSettled, state, place, cursor } = projection
  if (turnId === undefined) return undefined
  if (!isSettled) {
    if (state !== TaskState.TASK_STATE_INPUT_REQUIRED) return undefined
    return agentMessage(projection, turnId, await approvals(projection, reader))
  }
  const seen = cursor === undefined ? undefined : Number(cursor)
  const envelope = await reader.sessions.envelope(place.session, turnId, reader.to, seen, place.seq)
  if (envelope === undefined) return undefined
  const parts = await allOutboundParts(envelope.parts, reader)
  return agentMessage(projection, turnId, parts.flat(), { meta: { ...envelope.meta } })
}

const answerInWords = 'Answer to this task with "yes" or "no" and nothing else.'
const answerAsData =
  'Answer to this task with a data part { approvalId, decision }, "granted" or "denied", and the metadata ' +
  '{ "partType": "approval-response" }.'

/** The undecided requests, in words and as data. */
async function approvals(projection: TaskProjection, reader: TaskReader): Promise<A2aPart[]> {
  const { turn } = await reader.sessions.view(projection.place.session, reader.to.principal)
  const pending = turn?.turnId === projection.turnId ? turn?.pendingApprovals : undefined
  const waits = (part: Part) => pending === undefined || pending.includes(approvalIdOf(part) ?? '')
  const asked = projection.asked.filter(waits)
  return asked.flatMap((part) => {
    // A Beach peer asks in its own words.
    if (reader.to.consumes !== undefined) return plainParts(part)
    const text = reader.partTypes.get(part.metadata.partType)?.toText?.(part)
    if (text === undefined) return plainParts(part)
    const how = asked.length === 1 ? answerInWords : answerAsData
    return [textPart(`${text}\n${how}`, { partType: 'clarify' }), ...plainParts(part)]
  })
}

function approvalIdOf({ data }: Part): string | undefined {
  if (typeof data !== 'object' || data === null || !('approvalId' in data)) return undefined
  return typeof data.approvalId === 'string' ? data.approvalId : undefined
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
