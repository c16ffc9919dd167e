import type { Message as A2aMessage, SendMessageRequest } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'

const longestId = 256
const contents = ['text', 'raw', 'url', 'data'] as const

const partSchema = z
  .looseObject({ metadata: z.looseObject({}).nullish() })
  .refine((part) => contents.filter((name) => part[name] !== undefined).length === 1, {
    message: `needs exactly one of ${contents.join(', ')}`,
  })
  .refine((part) => part.data !== null, { message: 'has `data` that is null' })
  .refine((part) => part.text === undefined || typeof part.text === 'string', {
    message: 'has a `text` that is no text',
  })

const id = z.string().max(longestId).nullish()
const requestSchema = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1).max(longestId),
    contextId: id,
    taskId: id,
    parts: z.array(partSchema).min(1).max(100),
    metadata: z.looseObject({}).nullish(),
  }),
})

/** Refuses a request to send a message whose JSON is not right; the SDK would silently drop some of it. */
export function checkSendRequest(json: unknown): void {
  const result = requestSchema.safeParse(json)
  if (result.success) return
  const problems = result.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new BeachError('BAD_REQUEST', `This is not a message. ${problems.join('; ')}.`)
}

/** The message of a request, which must have an id. */
export function messageOf({ message }: SendMessageRequest): A2aMessage {
  if (message === undefined) throw new BeachError('BAD_REQUEST', 'The request has no `message`.')
  const { messageId } = message
  if (messageId === '' || messageId.length > longestId) {
    throw new BeachError('BAD_REQUEST', `A message needs a messageId of at most ${longestId} characters.`)
  }
  return message
}
