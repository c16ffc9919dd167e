import { BeachError } from '@cool-ai/beach-core'
import type { GuestContext } from './guests.ts'

/** Where a task begins: the session, and the seq of the message that began it. */
export interface TaskStart {
  readonly session: string
  readonly seq: number
  /** What a guest knows the context by; others know it by its session. */
  readonly key?: string | undefined
}

/** The id of the task that begins there; with it the task is found without an index. */
export function taskIdOf({ session, seq, key = session }: TaskStart): string {
  return `${key}.${seq}`
}

/** The task's id as it is kept in the log: a guest's key must not be readable. */
export function keptIdOf({ session, seq }: TaskStart): string {
  return `${session}.${seq}`
}

/** The place in a task's id; what is no id of ours is not found. */
export function placeOf(taskId: string, { guest }: { readonly guest?: GuestContext } = {}): TaskStart {
  if (taskId.trim() === '') throw new BeachError('BAD_REQUEST', 'The id of the task is missing.')
  const match = /^([\w-]{1,200})\.([1-9]\d{0,14})$/.exec(taskId)
  if (match?.[1] === undefined) throw noSuchTask()
  const seq = Number(match[2])
  if (guest === undefined) return { session: match[1], seq }
  if (match[1] !== guest.key) throw noSuchTask()
  return { session: guest.session, key: guest.key, seq }
}

export function noSuchTask(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such task, or it is not yours.')
}
