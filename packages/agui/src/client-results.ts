import type { Message, ToolMessage } from '@ag-ui/core'
import { BeachError } from '@cool-ai/beach-core'
import type { ClientAnswered, ClientResult } from '@cool-ai/beach-core/ports'
import type { RunInput } from './run-input.ts'
import type { RunWarning } from './run-warning.ts'
import { resultHashOf, type ShownCall, type Thread } from './thread.ts'
import { resultIdOf } from './text-kind.ts'

/** What a run brings of what its client was called for. */
export interface ClientResults {
  readonly results: readonly ClientResult[]
  readonly notices: readonly RunWarning[]
}

/** As much as tools of the agent may say. */
const maxLength = 60_000

const refusals: Readonly<Record<Exclude<ClientAnswered, 'taken'>, Omit<RunWarning, 'toolCallId'>>> = {
  already: {
    code: 'ALREADY_ANSWERED',
    message: 'This call has another result, which came first. This one was left out.',
  },
  expired: { code: 'EXPIRED', message: 'The result came too late: the call counts as failed.' },
  over: { code: 'TURN_OVER', message: 'The turn that this call was made in is over. Its result was left out.' },
  notFound: {
    code: 'UNKNOWN_TOOL_CALL',
    message: 'This client was called for nothing under that id. The result was left out.',
  },
}

/** Reads the results among the messages of a run. Clients send those again that they sent before. */
export function readResults({ messages }: RunInput, thread: Thread | undefined): ClientResults {
  const open = new Set(thread?.openCalls().map(({ callId }) => callId))
  const results: ClientResult[] = []
  const notices: RunWarning[] = []
  const isLast = lastOnes(messages)
  for (const message of messages) {
    if (message.role !== 'tool') continue
    const { toolCallId: callId, id } = message
    const call = thread?.calls.get(callId)
    const result = resultOf(message)
    if (open.has(callId)) {
      checkLength(result)
      results.push(result)
    } else if (id !== resultIdOf(callId) && isLast(message)) {
      // What is further up was answered by the runs that it came with, and so was the same result.
      const isSame = call?.resultHash === resultHashOf(result.outcome, result.value)
      if (!isSame) notices.push(refusal(callId, whyNot(call, thread)))
    }
  }
  return { results, notices }
}

/** What a client is told of a result that did not count. */
export function refusal(toolCallId: string, answered: Exclude<ClientAnswered, 'taken'>): RunWarning {
  return { ...refusals[answered], toolCallId }
}

/**
 * The calls that the session waits for and that a client which says something new has given up: it has them and brings no
 * result, or does not offer their tools any more. None when one is left that it did not know of: that comes first.
 */
export function givenUp(
  { messages, tools }: RunInput,
  awaited: readonly ShownCall[],
): { readonly calls: readonly ShownCall[]; readonly isBlocked: boolean } {
  const has = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).map(({ id }) => id),
  )
  const offered = new Set(tools.map(({ name }) => name))
  const isBlocked = awaited.some(({ callId, name }) => !has.has(callId) && offered.has(name))
  return { calls: isBlocked ? [] : awaited, isBlocked }
}

export const wentOn = 'The client went on without running this.'

function whyNot(call: ShownCall | undefined, thread: Thread | undefined): Exclude<ClientAnswered, 'taken'> {
  if (call === undefined || thread?.isMine(call) !== true) return 'notFound'
  return call.finished === undefined ? 'over' : 'already'
}

function resultOf({ toolCallId: callId, content, error }: ToolMessage): ClientResult {
  return error === undefined ? { callId, outcome: 'ok', value: content } : { callId, outcome: 'failed', value: error }
}

function checkLength({ callId, value }: ClientResult): void {
  const { length } = typeof value === 'string' ? value : JSON.stringify(value)
  if (length <= maxLength) return
  throw new BeachError(
    'TOO_LARGE',
    `The result of the call '${callId}' has ${length} characters; ${maxLength} are allowed. Send less of it.`,
  )
}

/** Whether a message comes after all that people and the agent have said. */
function lastOnes(messages: readonly Message[]): (message: Message) => boolean {
  const last = messages.findLastIndex(
    ({ role, content }) => role === 'user' || (role === 'assistant' && Boolean(content)),
  )
  const rest = new Set(messages.slice(last + 1))
  return (message) => rest.has(message)
}
