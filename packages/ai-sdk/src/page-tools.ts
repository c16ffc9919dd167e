import { clientTools, type GivenTool } from '@cool-ai/beach-channel/threads'
import { BeachError } from '@cool-ai/beach-core'
import type { ClientOffer } from '@cool-ai/beach-core/ports'
import { isObject } from '@cool-ai/beach-protocol/json-schema'

/**
 * The tools that a page runs itself, in `tools` of the body: a list, or an object by their names, each with `description`
 * and the JSON Schema of its arguments (`parameters` or `inputSchema`).
 */
export function pageOffer(given: unknown, ownTools: ReadonlySet<string>): ClientOffer {
  if (given === undefined || given === null) return { tools: [] }
  const { tools, refused } = clientTools(givenTools(given), ownTools)
  const [first] = refused
  if (first !== undefined) throw new BeachError('BAD_REQUEST', `The tool '${first.name}' ${first.reason}`)
  return { tools }
}

function givenTools(given: unknown): GivenTool[] {
  const entries = Array.isArray(given)
    ? (given as unknown[]).map((tool) => [isObject(tool) ? tool.name : undefined, tool] as const)
    : isObject(given)
      ? Object.entries(given)
      : [[undefined, given] as const]
  return entries.map(([name, tool]) => {
    if (typeof name !== 'string' || !isObject(tool)) {
      throw new BeachError('BAD_REQUEST', '`tools` is a list of tools with `name`, `description` and `parameters`.')
    }
    const { description, parameters, inputSchema } = tool
    return {
      name,
      description: typeof description === 'string' ? description : undefined,
      parameters: parameters ?? inputSchema,
    }
  })
}
