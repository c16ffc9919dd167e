import { BeachError } from '@cool-ai/beach-core'
import type { ClientOffer } from '@cool-ai/beach-core/ports'
import { clientTools } from '@cool-ai/beach-channel/threads'
import { ownState, type RunInput } from './run-input.ts'
import type { RunWarning } from './run-warning.ts'
import type { Thread } from './thread.ts'

/** Whether actors may call the tools that clients offer, and how long such a call waits for its client. */
export type ClientToolsOption = boolean | { readonly timeoutMs?: number | undefined } | undefined

const maxState = 32_000
const maxWaitMs = 30 * 24 * 60 * 60 * 1_000

/** Refuses, at the start, a time to wait that is none: a turn must not wait for ever. */
export function checkClientTools(option: ClientToolsOption): void {
  const { timeoutMs } = typeof option === 'object' ? option : {}
  if (timeoutMs === undefined || (timeoutMs >= 1 && timeoutMs <= maxWaitMs)) return
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `agui.clientTools.timeoutMs is ${timeoutMs}. Give milliseconds, from 1 to ${maxWaitMs} (30 days).`,
  )
}

/** What a client has besides its messages: tools that it runs itself, and the state of its application. */
export function offerOf(
  { tools: given, state }: RunInput,
  thread: Thread | undefined,
  {
    clientTools: option = true,
    ownTools,
  }: { readonly clientTools?: ClientToolsOption; readonly ownTools: ReadonlySet<string> },
): { readonly offer: ClientOffer; readonly notices: readonly RunWarning[] } {
  const notices: RunWarning[] = []
  const { tools, refused } = clientTools(option === false ? [] : given, ownTools)
  if (option === false && given.length > 0) notices.push(toolsIgnored)
  for (const { name, reason } of refused.slice(0, 10)) {
    notices.push({ code: 'TOOL_REFUSED', message: `The tool '${name}' ${reason}` })
  }
  const own = withoutOurs(ownState(state), thread)
  const size = own === undefined ? 0 : JSON.stringify(own).length
  if (size > maxState) notices.push(stateTooLarge(size))
  const timeoutMs = typeof option === 'object' ? option.timeoutMs : undefined
  return { offer: { tools, timeoutMs, state: size > maxState ? undefined : own }, notices }
}

/** What the client has of the agent's own state is no news, and not for it to change. */
function withoutOurs(state: Readonly<Record<string, unknown>>, thread: Thread | undefined): object | undefined {
  const ours = new Set(['coordinates', ...Object.keys(thread?.state?.shown ?? {})])
  const own = Object.entries(state).filter(([name]) => !ours.has(name))
  return own.length === 0 ? undefined : Object.fromEntries(own)
}

const toolsIgnored: RunWarning = {
  code: 'TOOLS_IGNORED',
  message: 'This agent has its own tools and calls none of the client’s.',
}

function stateTooLarge(size: number): RunWarning {
  const message = `The state has ${size} characters; ${maxState} are allowed. The agent is not told of it.`
  return { code: 'STATE_TOO_LARGE', message }
}
