import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { CallResult, PeerApprovalRequest } from '@cool-ai/beach-channel/peers'
import { BeachError, isBeachError } from '@cool-ai/beach-core'
import { approvalLines, askedApproval } from '@cool-ai/beach-protocol'
import type { Command } from 'commander'
import { openCall, type OpenedCall } from '../call/call-agent.ts'
import { fetchFor } from '../call/find-agent.ts'
import { ShownParts } from '../call/show-parts.ts'
import { withExamples } from '../examples.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine, plainText } from '../plain-text.ts'
import { terminal } from '../terminal.ts'

interface CallFlags {
  readonly json?: boolean
  readonly tool?: string
  readonly context?: string
  readonly ask?: boolean
  readonly credentials: string
}

export function configure(command: Command): void {
  command
    .description(
      'Says something to an agent and shows its answer while it comes: by A2A, or by MCP, as its Agent Card says. What it ' +
        'wants to have approved is asked for here. Credentials come from the environment: BEACH_PEER_CALL_API_KEY, …',
    )
    .argument('<address>', 'of the agent, of its card, or with --tool of an MCP server')
    .argument('<text>', 'what is said')
    .option('--context <id>', 'go on with an earlier conversation')
    .option('--credentials <name>', 'read the credentials of BEACH_PEER_<NAME>_…', 'call')
    .option('--tool <name>', 'the tool of an MCP server that has no card')
    .option('--ask', 'ask for approvals also where the input is no terminal, such as in a script')
    .option('--json', 'print the whole answer as JSON once it is complete; approvals are left open')
    .action(run)
  withExamples(command, [
    ['beach call http://127.0.0.1:4747 "What can you do?"', 'an agent on this machine'],
    ['beach call https://agent.example "And tomorrow?" --context ctx_12', 'the same conversation'],
    ['BEACH_PEER_CALL_API_KEY=… beach call https://agent.example "Hello" --json', 'with a credential, for programs'],
  ])
}

async function run(address: string, text: string, flags: CallFlags): Promise<void> {
  const { json, tool, context, credentials } = flags
  if (text.trim() === '') throw new BeachError('BAD_REQUEST', 'Say something: the text is empty.')
  const fetch = fetchFor(address)
  try {
    const call = await openCall({ address, tool, credentials }, fetch)
    try {
      const words = [{ partType: 'message', text }]
      const result = json
        ? await call.callAgent(call.peer, words, { contextId: context })
        : await talk(call, words, flags)
      if (json) terminal.json(result)
      if (failedStates.has(result.state)) process.exitCode = exitCodes.failed
    } finally {
      await call.close()
    }
  } catch (error) {
    throw tool !== undefined && isBeachError(error, 'PEER_PROTOCOL') ? noSuchTool(error, tool) : error
  } finally {
    await fetch.close()
  }
}

function noSuchTool(cause: BeachError, tool: string): BeachError {
  const advice = `Has the server a tool '${tool}' that takes a \`message\`?`
  return new BeachError(cause.code, `${cause.message} ${advice}`, { cause, details: cause.details })
}

const failedStates: ReadonlySet<string> = new Set(['error', 'cancelled', 'refused', 'unauthorized', 'unfinished'])

type Words = Parameters<OpenedCall['callAgent']>[1]

/** Shows the answer, and goes on as long as approvals are decided here. */
async function talk(call: OpenedCall, words: Words, { context: contextId, ask }: CallFlags): Promise<CallResult> {
  let said = words
  let place: { contextId?: string | undefined; taskId?: string | undefined } = { contextId }
  for (;;) {
    const shown = new ShownParts((text) => process.stdout.write(text))
    let streamed = false
    const result = await call.callAgent(call.peer, said, {
      ...place,
      onPart: (part) => {
        streamed = true
        shown.take(part)
      },
    })
    if (!streamed) {
      for (const [index, part] of result.parts.entries()) shown.take({ partId: String(index), part, isOpen: false })
    }
    shown.end()
    place = { contextId: result.contextId, taskId: result.taskId }
    const [approval] = result.approvals
    if (approval === undefined) {
      if (result.contextId !== undefined)
        terminal.note(terminal.dim(`${result.state}; --context ${plainLine(result.contextId)}`))
      return result
    }
    const response = await decided(approval, ask)
    if (response === undefined) return result
    said = [{ partType: 'approval-response', data: response }]
  }
}

/** Asks the person at the terminal; undefined without a terminal, so that the request stays open. */
async function decided(request: PeerApprovalRequest, mayAsk = terminal.canAsk()) {
  const { approvalId, toolName, args } = request
  const asked = request.asked ?? askedApproval({ data: request, metadata: { partType: 'approval-request' } })
  terminal.note(`${terminal.bold('Approval:')} ${plainLine(asked?.title ?? toolName)}`)
  // All of them, in lines of their own: what is cut off or far to the right is approved unread.
  const facts = asked === undefined ? JSON.stringify(args, null, 2).split('\n') : approvalLines(asked)
  for (const line of facts) terminal.note(`  ${plainText(line)}`)
  if (!mayAsk) {
    terminal.note('There is no terminal to ask, so it stays open.')
    process.exitCode = exitCodes.failed
    return undefined
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = once(lines, 'close').then(() => undefined)
    const answer = await Promise.race([lines.question('Approve? y, n, or n and a reason: '), ended])
    if (answer === undefined) {
      terminal.note('The input has ended, so it stays open.')
      process.exitCode = exitCodes.failed
      return undefined
    }
    const [, word = '', reason = ''] = /^(\S*)\s*(.*)$/.exec(answer.trim()) ?? []
    const decision: 'granted' | 'denied' = /^y(?:es)?$/i.test(word) ? 'granted' : 'denied'
    return { approvalId, decision, ...(reason !== '' && { reason }) }
  } finally {
    lines.close()
  }
}
