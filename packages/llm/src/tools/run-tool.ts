import { BeachError, type Runtime } from '@cool-ai/beach-core'
import { raceAbort } from '@cool-ai/beach-core/runtime'
import type { ToolContext } from './tool.ts'
import type { RegisteredTool } from './tool-registry.ts'

const maxResultLength = 60_000

/** Runs the tool and returns what may be shown of its result. */
export async function runTool(
  tool: RegisteredTool,
  input: unknown,
  context: ToolContext,
  runtime: Runtime,
): Promise<unknown> {
  return capped(checkedOutput(tool, await runHandler(tool, input, context, runtime)))
}

async function runHandler(
  { definition }: RegisteredTool,
  input: unknown,
  context: ToolContext,
  runtime: Runtime,
): Promise<unknown> {
  const { name, timeoutMs } = definition
  if (timeoutMs === undefined) return definition.handler(input, context) as unknown
  const late = new AbortController()
  const cancel = runtime.clock.timer(timeoutMs, () => {
    late.abort(new BeachError('TIMEOUT', `The tool ${name} took longer than ${timeoutMs} ms.`))
  })
  try {
    const signal = AbortSignal.any([context.signal, late.signal])
    return await raceAbort(definition.handler(input, { ...context, signal }), late.signal)
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

/** A result that would fill the model's context is truncated, and says so. */
function capped(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= maxResultLength) return value ?? null
  return `${text.slice(0, maxResultLength)}… (cut: ${text.length - maxResultLength} more characters)`
}
