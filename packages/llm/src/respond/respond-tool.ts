import type { JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import { respondInputSchema } from './respond-schema.ts'
import type { RespondOptions } from './respond-options.ts'

/** The version of the tool's schema; it changes when a call that was right could become wrong. */
export const respondToolSchemaVersion = '1'

/** The tool as a model is given it. */
export interface RespondTool {
  readonly name: 'respond'
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly version: typeof respondToolSchemaVersion
}

const description =
  'Say something in structured form. This tool is your ONLY way to produce output: call it for every text that is meant ' +
  'for a user or for another agent, and never write free text outside of it. Put all that you have to say into parts, ' +
  'and let turnState tell whether you are done or still at work.'

/** The `respond` tool for what is registered at this time. */
export function respondTool(options: RespondOptions): RespondTool {
  return {
    name: 'respond',
    description,
    inputSchema: respondInputSchema(options),
    version: respondToolSchemaVersion,
  }
}
