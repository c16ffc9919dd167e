import { BeachError } from '@cool-ai/beach-core'

/**
 * Where a task begins: its conversation, and the seq of the message that began it, or of the request for an approval that
 * a decision went on from. With it the task is found without an index, and by no other caller than its conversation.
 */
export interface TaskPlace {
  readonly conversationId: string
  readonly seq: number
}

const shape = /^([\w-]{1,200})\.([1-9]\d{0,14})$/

export function taskIdOf({ conversationId, seq }: TaskPlace): string {
  return `${conversationId}.${seq}`
}

/** The place in a task's id; what is no id of ours is not found. */
export function placeOf(taskId: string): TaskPlace {
  const [, conversationId, seq] = shape.exec(taskId) ?? []
  if (conversationId === undefined) throw noSuchTask()
  return { conversationId, seq: Number(seq) }
}

export function noSuchTask(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such task, or it is not yours.')
}
