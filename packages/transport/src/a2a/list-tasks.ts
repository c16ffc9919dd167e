import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk'
import { BeachError, isBeachError, type Sessions } from '@cool-ai/beach-core'
import { markOf } from './a2a-mark.ts'
import { originatorOf, type Caller } from './caller.ts'
import { contextSession } from './contexts.ts'
import { TaskProjection } from './task-projection.ts'
import type { TaskReading } from './task-reading.ts'
import { toTask } from './to-task.ts'

const mostSessions = 200
export const usualPage = 50
const mostPage = 100

/** The caller's tasks, those first in which something happened last. Looks through its latest contexts only. */
export async function listTasks(
  sessions: Sessions,
  reading: TaskReading,
  request: ListTasksRequest,
  caller: Caller,
): Promise<ListTasksResponse> {
  const { pageSize = usualPage, status, statusTimestampAfter, pageToken, includeArtifacts, historyLength } = request
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > mostPage) {
    throw new BeachError('BAD_REQUEST', `pageSize is 1 to ${mostPage}.`)
  }
  if (status === TaskState.UNRECOGNIZED) throw new BeachError('BAD_REQUEST', 'There is no such state of a task.')
  const since = statusTimestampAfter === undefined ? -Infinity : timeOf(statusTimestampAfter)
  const found: TaskProjection[] = []
  for (const session of await sessionsOf(sessions, request.contextId, caller)) {
    found.push(...(await tasksOf(sessions, session, caller)))
  }
  const matching = found
    .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.state === status)
    .filter((task) => request.contextId === '' || task.contextId === request.contextId)
    .filter((task) => task.at >= since)
    .toSorted((one, other) => other.at - one.at || (one.taskId < other.taskId ? -1 : 1))
  const start = pageToken === '' ? 0 : placeIn(matching, pageToken)
  const page = matching.slice(start, start + pageSize)
  const last = page.at(-1)
  const options = { historyLength, artifacts: includeArtifacts === true }
  const written: Task[] = []
  for (const task of page) {
    const { session } = task.place
    const reader = reading.reader(session, originatorOf(session, caller, 'buffered', task.understood))
    written.push(await toTask(task, reader, options))
  }
  const hasMore = last !== undefined && start + pageSize < matching.length
  return {
    tasks: written,
    nextPageToken: hasMore ? tokenOf(last) : '',
    pageSize,
    totalSize: matching.length,
  }
}

async function sessionsOf(sessions: Sessions, contextId: string, { principal }: Caller): Promise<string[]> {
  if (contextId !== '') return [contextSession(contextId, principal)]
  const { items } = await sessions.list({ limit: mostSessions }, principal)
  return [...new Set(items.map(({ sessionId }) => sessionId))]
}

/** Every task of a session, from one reading of its log. */
async function tasksOf(sessions: Sessions, session: string, caller: Caller): Promise<TaskProjection[]> {
  const to = originatorOf(session, caller, 'buffered')
  const found: TaskProjection[] = []
  const open = new Set<TaskProjection>()
  let opening: Parameters<TaskProjection['apply']>[0][] = []
  try {
    // A cursor that is none begins at the start.
    for await (const frame of sessions.history(session, to, '0')) {
      for (const task of open) task.apply(frame)
      // What is over takes nothing more; looking at all tasks for every frame would be dear in long contexts.
      if (frame.kind === 'settled') for (const task of open) if (task.isTerminal) open.delete(task)
      if (frame.kind !== 'part' || frame.role !== 'user') continue
      const mark = markOf(frame.part)
      if (mark === undefined || mark.taskId !== undefined) continue
      opening.push(frame)
      if (frame.cursor === undefined) continue
      const task = new TaskProjection({ session, seq: Number(frame.cursor) })
      for (const first of opening) task.apply(first)
      opening = []
      found.push(task)
      open.add(task)
    }
  } catch (error) {
    // A context of somebody else's is one without tasks.
    if (!isBeachError(error, 'NOT_FOUND')) throw error
  }
  return found
}

function tokenOf({ at, taskId }: TaskProjection): string {
  return Buffer.from(JSON.stringify([at, taskId])).toString('base64url')
}

/** Where the page after this token begins: after the last task of the page before, which may have moved up since. */
function placeIn(tasks: readonly TaskProjection[], token: string): number {
  const [at, taskId] = read(token)
  const index = tasks.findIndex((task) => task.at < at || (task.at === at && task.taskId > taskId))
  return index === -1 ? tasks.length : index
}

function read(token: string): [number, string] {
  try {
    const value = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown
    if (Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'string')
      return [value[0], value[1]]
  } catch {
    // Said below.
  }
  throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the nextPageToken of the page before.')
}

function timeOf(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw new BeachError('BAD_REQUEST', 'statusTimestampAfter is no time such as 2026-01-01T00:00:00Z.')
  return time
}
