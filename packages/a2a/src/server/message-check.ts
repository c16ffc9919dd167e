import { Role, type Message as A2aMessage, type SendMessageRequest } from '@a2a-js/sdk'
import { BeachError } from '@cool-ai/beach-core'
import { maxIdLength } from './params-check.ts'

/** The message of a request, which must have an id and come from the caller. */
export function messageOf({ message }: SendMessageRequest): A2aMessage {
  if (message === undefined) throw new BeachError('BAD_REQUEST', 'The request has no `message`.')
  const { messageId, role } = message
  if (messageId === '' || messageId.length > maxIdLength) {
    throw new BeachError('BAD_REQUEST', `A message needs a messageId of at most ${maxIdLength} characters.`)
  }
  if (role !== Role.ROLE_USER) {
    throw new BeachError('BAD_REQUEST', 'The role of a message must be that of a user, since it comes from the caller.')
  }
  return message
}
