import { BeachError, type PlannedTool, type Runtime, type SessionView, type ToolRun } from '@cool-ai/beach-core'
import { rejectedBy } from '../rejected-by.ts'
import type { ApprovalNeed, ToolContext } from './tool.ts'
import type { RegisteredTool } from './tool-registry.ts'

/** A call as the model made it. */
export interface ModelToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

const longestResult = 60_000

/** Checks a call's arguments and says how it will run: with what approval, for how long, and as what. */
export function planTool(
  tool: RegisteredTool,
  call: ModelToolCall,
  session: SessionView,
  runtime: Runtime,
): PlannedTool<unknown> | { readonly problems: readonly string[] } {
  const checked = tool.input.check(call.input)
  if ('problems' in checked) return checked
  const { definition } = tool
  const need = needOf(definition.requiresApproval, checked.value, session)
  const expiry = definition.approvalExpiresMs
  return {
    call: {
      name: definition.name,
      args: call.input,
      toolCallId: call.toolCallId,
      idempotent: definition.idempotent ?? false,
      ...approval(need),
      ...(expiry !== undefined && { approvalExpiresAt: runtime.clock.now() + expiry }),
    },
    run: async (run) => capped(checkedOutput(tool, await runHandler(tool, checked.value, session, run, runtime))),
  }
}

function needOf(
  rule: RegisteredTool['definition']['requiresApproval'],
  input: unknown,
  session: SessionView,
): ApprovalNeed {
  return (typeof rule === 'function' ? rule(input, session) : rule) ?? false
}

function approval(need: ApprovalNeed) {
  if (need === false) return {}
  if (need === true) return { requiresApproval: true, approvalLevel: 'user' as const }
  if (typeof need === 'string') return { requiresApproval: true, approvalLevel: need }
  return { requiresApproval: true, approvedBy: need.grantedBy }
}

async function runHandler(
  { definition }: RegisteredTool,
  input: unknown,
  session: SessionView,
  run: ToolRun,
  runtime: Runtime,
): Promise<unknown> {
  const { name, timeoutMs } = definition
  const context = (signal: AbortSignal): ToolContext => ({ key: run.key, signal, session, emit: run.emit })
  if (timeoutMs === undefined) return definition.handler(input, context(run.signal)) as unknown
  const late = new AbortController()
  const cancel = runtime.clock.timer(timeoutMs, () => {
    late.abort(new BeachError('TIMEOUT', `The tool ${name} took longer than ${timeoutMs} ms.`))
  })
  try {
    const signal = AbortSignal.any([run.signal, late.signal])
    return await Promise.race([definition.handler(input, context(signal)), rejectedBy(late.signal)])
  } finally {
    cancel()
  }
}

function checkedOutput({ output, definition }: RegisteredTool, value: unknown): unknown {
  const checked = output?.check(value)
  if (checked === undefined || 'value' in checked) return value
  throw new BeachError(
    'INTERNAL',
    `The tool ${definition.name} returned something else than it declares: ${checked.problems.join('; ')}`,
  )
}

/** A result that would fill the model's context is cut, and says so. */
function capped(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= longestResult) return value ?? null
  return `${text.slice(0, longestResult)}… (cut: ${text.length - longestResult} more characters)`
}
