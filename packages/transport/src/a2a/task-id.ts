import { BeachError } from '@cool-ai/beach-core'

/** Where a task begins: the session, and the seq of the message that began it. */
export interface TaskPlace {
  readonly session: string
  readonly seq: number
}

/** The id of the task that begins there; with it the task is found without an index. */
export function taskIdOf({ session, seq }: TaskPlace): string {
  return `${session}.${seq}`
}

/** The place in a task's id; what is no id of ours is not found. */
export function placeOf(taskId: string): TaskPlace {
  if (taskId.trim() === '') throw new BeachError('BAD_REQUEST', 'The id of the task is missing.')
  const match = /^([\w-]{1,200})\.([1-9]\d{0,14})$/.exec(taskId)
  if (match?.[1] === undefined) throw noSuchTask()
  return { session: match[1], seq: Number(match[2]) }
}

export function noSuchTask(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such task, or it is not yours.')
}
