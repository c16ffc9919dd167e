import type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import { respondInputSchema } from './respond-schema.ts'
import type { RespondOptions } from './respond-options.ts'

/** The version of the tool's schema; it changes when a valid call could become invalid. */
export const respondToolSchemaVersion = '1'

/** The tool as a model is given it. */
export interface RespondTool {
  readonly name: 'respond'
  readonly description: string
  readonly inputSchema: JsonSchema
  /** The same as `inputSchema`, by the name that Anthropic's API has for it. */
  readonly input_schema: JsonSchema
  readonly version: typeof respondToolSchemaVersion
}

const description =
  'Emit a structured response. This is the ONLY way you produce output. Always call this tool to produce any user-facing ' +
  'or peer-facing text. Never emit free-form text outside this tool. Pass all your output as parts, and set turnState to ' +
  'indicate whether you are done or still working.'

/** The `respond` tool for what is registered at this time. */
export function respondTool(options: RespondOptions): RespondTool {
  const inputSchema = respondInputSchema(options)
  return {
    name: 'respond',
    description,
    inputSchema,
    input_schema: inputSchema,
    version: respondToolSchemaVersion,
  }
}
