import { TaskState, type ListTasksRequest, type ListTasksResponse, type Task } from '@a2a-js/sdk'
import { BeachError, isBeachError, type Sessions } from '@cool-ai/beach-core'
import { yieldToEventLoop } from '@cool-ai/beach-core/runtime'
import { markOf } from './a2a-mark.ts'
import { originatorOf, type Caller } from './caller.ts'
import { contextSession } from './contexts.ts'
import type { TaskProjection } from './task-projection.ts'
import type { TaskReading } from './task-reading.ts'
import { toTask } from './to-task.ts'

const maxSessions = 200
const defaultPageSize = 50
const maxPageSize = 100

/** The caller's tasks, those first in which something happened last. Looks through its latest contexts only. */
export async function listTasks(
  sessions: Sessions,
  reading: TaskReading,
  request: ListTasksRequest,
  caller: Caller,
): Promise<ListTasksResponse> {
  const {
    pageSize = defaultPageSize,
    status,
    statusTimestampAfter,
    pageToken,
    includeArtifacts,
    historyLength,
  } = request
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxPageSize) {
    throw new BeachError('BAD_REQUEST', `pageSize is 1 to ${maxPageSize}.`)
  }
  if (status === TaskState.UNRECOGNIZED) throw new BeachError('BAD_REQUEST', 'There is no such state of a task.')
  const since = statusTimestampAfter === undefined ? -Infinity : timeOf(statusTimestampAfter)
  const options = { historyLength, artifacts: includeArtifacts === true }
  const isAfter = pageToken === '' ? () => true : after(pageToken)
  const page = new TaskPage({ ...options, size: pageSize }, isAfter)
  const isWanted = (task: TaskProjection) =>
    (status === TaskState.TASK_STATE_UNSPECIFIED || task.state === status) &&
    (request.contextId === '' || task.contextId === request.contextId) &&
    task.at >= since
  const add = (task: TaskProjection) => {
    if (isWanted(task)) page.add(task)
  }
  for (const session of await sessionsOf(sessions, request.contextId, caller)) {
    // The list is no longer needed.
    if (caller.signal.aborted) break
    await yieldToEventLoop()
    await tasksOf({ sessions, reading }, session, caller, add)
  }
  const tasks = await written(page, reading, options, caller)
  const last = page.tasks[tasks.length - 1]
  return {
    tasks,
    nextPageToken: last !== undefined && tasks.length < page.left ? tokenOf(last) : '',
    pageSize,
    totalSize: page.total,
  }
}

async function written(
  page: TaskPage,
  reading: TaskReading,
  options: { readonly historyLength: number | undefined; readonly artifacts: boolean },
  caller: Caller,
): Promise<Task[]> {
  const tasks: Task[] = []
  let bytes = 0
  for (const task of page.tasks) {
    const { session } = task.place
    const to = originatorOf(session, caller, 'buffered', task.understood)
    const asked = { ...caller, outputModes: task.outputModes }
    // Lists have links: the bytes of files come with each task by itself.
    const reader = { ...reading.reader(session, to, asked), attaches: undefined }
    const next = await toTask(task, reader, options)
    bytes += Buffer.byteLength(JSON.stringify(next))
    if (tasks.length > 0 && bytes > maxAnswerBytes) break
    tasks.push(next)
    await yieldToEventLoop()
  }
  return tasks
}

async function sessionsOf(sessions: Sessions, contextId: string, caller: Caller): Promise<string[]> {
  if (contextId !== '') return [contextSession(contextId, caller)]
  const { items } = await sessions.list({ limit: maxSessions }, caller.principal)
  return [...new Set(items.map(({ sessionId }) => sessionId))]
}

/** Gives every task of a session, from one reading of its log, each once nothing changes it any more. */
async function tasksOf(
  { sessions, reading }: { readonly sessions: Sessions; readonly reading: TaskReading },
  session: string,
  caller: Caller,
  give: (task: TaskProjection) => void,
): Promise<void> {
  const to = originatorOf(session, caller, 'buffered')
  const key = caller.guest && { key: caller.guest.key }
  const open = new Set<TaskProjection>()
  let opening: Parameters<TaskProjection['apply']>[0][] = []
  try {
    // A cursor that is none begins at the start.
    for await (const frame of sessions.history(session, to, '0')) {
      if (caller.signal.aborted) return
      for (const task of open) task.apply(frame)
      // What is over takes nothing more; looking at all tasks for every frame would be dear in long contexts.
      if (frame.kind === 'settled') {
        for (const task of open) {
          if (!task.isTerminal) continue
          open.delete(task)
          give(task)
        }
      }
      if (frame.kind !== 'part' || frame.role !== 'user') continue
      const mark = markOf(frame.part)
      if (mark === undefined || mark.taskId !== undefined) continue
      opening.push(frame)
      if (frame.cursor === undefined) continue
      const task = reading.begin({ session, seq: Number(frame.cursor), ...key })
      for (const first of opening) task.apply(first)
      opening = []
      open.add(task)
    }
  } catch (error) {
    // Another caller's context looks like one without tasks.
    if (!isBeachError(error, 'NOT_FOUND')) throw error
  }
  for (const task of open) give(task)
}

function tokenOf({ at, taskId }: TaskProjection): string {
  return Buffer.from(JSON.stringify([at, taskId])).toString('base64url')
}

/** Whether a task comes after a token: after the last task of the page before, which may have moved up since. */
function after(token: string): (task: TaskProjection) => boolean {
  const [at, taskId] = read(token)
  return (task) => order({ at, taskId }, task) < 0 && task.taskId !== taskId
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

/** What one answer may hold of the content of tasks; one task goes whatever it has. */
const maxAnswerBytes = 4_000_000

interface TaskPageOptions {
  readonly size: number
  /** Messages of each task's history that are wanted; all when left out. */
  readonly historyLength?: number | undefined
  readonly artifacts: boolean
}

interface Entry {
  readonly task: TaskProjection
  readonly weight: number
}

/**
 * The first tasks of a list, those in which something happened last. Only what the page may hold is kept: a task that
 * has no room in it has none later either, because those that are added can only come before it.
 */
class TaskPage {
  readonly #options: TaskPageOptions
  readonly #isAfter: (task: TaskProjection) => boolean
  #entries: Entry[] = []
  total = 0
  /** How many of them are not on pages before. */
  left = 0

  constructor(options: TaskPageOptions, isAfter: (task: TaskProjection) => boolean) {
    this.#options = options
    this.#isAfter = isAfter
  }

  get tasks(): readonly TaskProjection[] {
    return this.#entries.map(({ task }) => task)
  }

  /** One more task, which does not change any more. */
  add(task: TaskProjection): void {
    this.total++
    if (!this.#isAfter(task)) return
    this.left++
    const index = this.#entries.findIndex((entry) => order(task, entry.task) < 0)
    const place = index === -1 ? this.#entries.length : index
    if (place >= this.#options.size) return
    this.#entries.splice(place, 0, { task, weight: this.#weigh(task) })
    this.#entries.length = this.#room()
  }

  #room(): number {
    let weight = 0
    const over = this.#entries.findIndex((entry, index) => (weight += entry.weight) > maxAnswerBytes && index > 0)
    return Math.min(over === -1 ? this.#entries.length : over, this.#options.size)
  }

  /** About what the task will be when it is written. */
  #weigh({ history, artifacts, asked }: TaskProjection): number {
    const { historyLength = history.length, artifacts: wanted } = this.#options
    history.splice(0, Math.max(0, history.length - historyLength))
    const said = wanted ? charactersOf([...artifacts.values()]) : 0
    return charactersOf(history) + charactersOf(asked) + said
  }
}

function order(one: Pick<TaskProjection, 'at' | 'taskId'>, other: Pick<TaskProjection, 'at' | 'taskId'>) {
  return other.at - one.at || (one.taskId < other.taskId ? -1 : 1)
}

function charactersOf(value: unknown): number {
  return JSON.stringify(value).length
}
