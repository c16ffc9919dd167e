import type { Message, RunAgentInput } from '@ag-ui/core'
import { RunAgentInputSchema } from '@ag-ui/core/schemas'
import { BeachError } from '@cool-ai/beach-core'
import { isObject } from '@cool-ai/beach-protocol/json-schema'

/** What a client sends to have the agent run. */
export interface RunInput extends RunAgentInput {
  /** The messages as the client has written them, to be given back as they are. */
  readonly sent: readonly Message[]
}

const maxMessages = 1_000
const maxEntries = { context: 100, resume: 100, tools: 1_000 }
const maxPieces = 1_000
const maxIdLength = 256

/** The run that a body asks for; unknown members are left alone, as AG-UI has it. */
export function parseRunInput(body: unknown): RunInput {
  checkCounts(body)
  const result = RunAgentInputSchema.safeParse(currentForm(body))
  if (!result.success) {
    const problems = result.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    throw new BeachError('BAD_REQUEST', `This is no RunAgentInput of AG-UI. ${problems.join('; ')}.`)
  }
  const input = result.data as RunAgentInput
  checkIds(input)
  const { messages: sent } = body as { messages: readonly Message[] }
  return { ...input, sent }
}

function checkIds({ threadId, runId, messages }: RunAgentInput): void {
  checkId('threadId', threadId)
  checkId('runId', runId)
  for (const { id } of messages) checkId("a message's id", id)
}

/** Before anything is checked, since each entry that is wrong would be told of. */
function checkCounts(body: unknown): void {
  if (!isObject(body)) return
  if (lengthOf(body.messages) > maxMessages) {
    throw new BeachError(
      'TOO_LARGE',
      `A run brings at most ${maxMessages} messages. Those that the thread has need not be sent again.`,
    )
  }
  for (const [name, max] of Object.entries(maxEntries)) {
    if (lengthOf(body[name]) > max) throw new BeachError('TOO_LARGE', `A run brings at most ${max} entries of ${name}.`)
  }
  const isLong = (message: unknown) => {
    return isObject(message) && Math.max(lengthOf(message.content), lengthOf(message.toolCalls)) > maxPieces
  }
  if (Array.isArray(body.messages) && body.messages.some(isLong)) {
    throw new BeachError('TOO_LARGE', `A message has at most ${maxPieces} parts and calls.`)
  }
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

/** An id that another party has chosen. */
export function checkId(name: string, id: string): void {
  if (id.length >= 1 && id.length <= maxIdLength) return
  throw new BeachError('BAD_REQUEST', `The length of ${name} must be 1 to ${maxIdLength} characters.`)
}

/**
 * A run as clients before AG-UI 1.0 write it, in the form of 1.0: `null` for what is left out, and `binary` for images
 * and files. What is not understood stays as it is, and is refused with everything else that is wrong.
 */
function currentForm(input: unknown): unknown {
  if (!isObject(input)) return input
  const { messages, tools, resume } = input
  return {
    ...(without(input, 'forwardedProps') as object),
    ...(Array.isArray(messages) && { messages: messages.map(currentMessage) }),
    ...(Array.isArray(tools) && { tools: tools.map((tool) => without(tool, 'parameters')) }),
    ...(Array.isArray(resume) && { resume: resume.map((entry) => without(entry, 'payload')) }),
  }
}

function currentMessage(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(currentPart) }
}

function currentPart(given: unknown): unknown {
  const part = without(given, 'metadata')
  if (!isObject(part) || part.type !== 'binary' || typeof part.mimeType !== 'string') return part
  const { mimeType, data, url, id, filename } = part
  const source = sourceOf({ data, url, id }, mimeType)
  if (source === undefined) return part
  return { type: kindOf(mimeType), source, ...(typeof filename === 'string' && { metadata: { filename } }) }
}

function sourceOf({ data, url, id }: Record<'data' | 'url' | 'id', unknown>, mimeType: string) {
  if (typeof data === 'string') return { type: 'data', value: data, mimeType }
  if (typeof url === 'string') return { type: 'url', value: url, mimeType }
  return typeof id === 'string' ? { type: 'file', value: id, mimeType } : undefined
}

function kindOf(mimeType: string): string {
  const [kind = ''] = mimeType.split('/')
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'document'
}

function without(value: unknown, key: string): unknown {
  if (!isObject(value) || value[key] !== null) return value
  const { [key]: _, ...rest } = value
  return rest
}

/** The members of the client's state, of which some may be the agent's. */
export function ownState(state: unknown): Readonly<Record<string, unknown>> {
  return isObject(state) ? state : {}
}
