import type { Message, RunAgentInput } from '@ag-ui/core'
import { RunAgentInputSchema } from '@ag-ui/core/schemas'
import { BeachError } from '@cool-ai/beach-core'
import { currentForm } from './legacy-input.ts'

/** What a client sends to have the agent run. */
export interface RunInput extends RunAgentInput {
  /** The messages as the client has written them, to be given back as they are. */
  readonly sent: readonly Message[]
}

/** How many messages of a client's a run may bring. */
const maxMessages = 1_000
const maxEntries = 100
const maxIdLength = 256

/** The run that a body asks for; unknown members are left alone, as AG-UI has it. */
export function parseRunInput(body: unknown): RunInput {
  const result = RunAgentInputSchema.safeParse(currentForm(body))
  if (!result.success) {
    const problems = result.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    throw new BeachError('BAD_REQUEST', `This is no RunAgentInput of AG-UI. ${problems.join('; ')}.`)
  }
  const input = result.data as RunAgentInput
  checkSizes(input)
  const { messages: sent } = body as { messages: readonly Message[] }
  return { ...input, sent }
}

function checkSizes({ threadId, runId, messages, context, resume = [] }: RunAgentInput): void {
  checkId('threadId', threadId)
  checkId('runId', runId)
  if (messages.length > maxMessages) {
    throw new BeachError(
      'TOO_LARGE',
      `A run brings at most ${maxMessages} messages. Those that the thread has need not be sent again.`,
    )
  }
  for (const { id } of messages) checkId("a message's id", id)
  for (const [name, { length }] of Object.entries({ context, resume })) {
    if (length > maxEntries) throw new BeachError('TOO_LARGE', `A run brings at most ${maxEntries} entries of ${name}.`)
  }
}

/** An id that another party has chosen. */
export function checkId(name: string, id: string): void {
  if (id.length >= 1 && id.length <= maxIdLength) return
  throw new BeachError('BAD_REQUEST', `The length of ${name} must be 1 to ${maxIdLength} characters.`)
}
