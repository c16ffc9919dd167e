import { BeachError, type PlainTool, type Runtime } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { runTool } from './run-tool.ts'
import type { AnyTool } from './tool.ts'
import { ToolRegistry } from './tool-registry.ts'

/** Those of the tools that peers may call themselves, as channels serve them: arguments are checked, results are capped. */
export function exposedTools(tools: readonly AnyTool[], runtime: Runtime): PlainTool[] {
  const exposed = tools.filter(({ peerExposed }) => peerExposed === true)
  const registry = new ToolRegistry(exposed)
  return registry.select(registry.names(), 'peers').map((tool) => {
    const { name, description, requiresApproval, idempotent, requiredScopes, tags, title, annotations } =
      tool.definition
    if (requiresApproval !== undefined && requiresApproval !== false) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `The tool '${name}' needs an approval, which only a conversation can ask for. It cannot be peerExposed.`,
      )
    }
    return {
      name,
      description,
      inputSchema: tool.input.jsonSchema,
      async handler(input, context) {
        const checked = tool.input.check(input)
        if ('problems' in checked) throw new BeachError('BAD_REQUEST', `${checked.problems.join('; ')}.`)
        return runTool(tool, checked.value, context, runtime)
      },
      ...defined({ idempotent, requiredScopes, tags, title, annotations }),
    }
  })
}
