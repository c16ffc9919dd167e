import * as z from 'zod'
import { authoredCardSchema } from './agent-card/authored-card.ts'
import { beachExtensionSchema } from './agent-card/beach-extension.ts'
import { a2uiActionSchema } from './a2ui-action.ts'
import { approvalRequestSchema, approvalResponseSchema } from './approval.ts'
import { artifactSchema } from './artifact.ts'
import { citationSchema } from './citation.ts'
import { envelopeSchema } from './envelope-schema.ts'
import { authoredPartSchema, partSchema } from './part-schema.ts'
import { progressSchema } from './progress.ts'
import { setStateSchema } from './set-state.ts'

const published: Readonly<Record<string, { readonly title: string; readonly schema: z.ZodType }>> = {
  part: { title: 'Part', schema: partSchema },
  'authored-part': { title: 'AuthoredPart', schema: authoredPartSchema },
  envelope: { title: 'AgentResponseEnvelope', schema: envelopeSchema },
  'approval-request': { title: 'ApprovalRequest', schema: approvalRequestSchema },
  'approval-response': { title: 'ApprovalResponse', schema: approvalResponseSchema },
  'a2ui-action': { title: 'A2uiAction', schema: a2uiActionSchema },
  'set-state': { title: 'SetState', schema: setStateSchema },
  citation: { title: 'Citation', schema: citationSchema },
  artifact: { title: 'Artifact', schema: artifactSchema },
  'agent-card': { title: 'AgentCardInput', schema: authoredCardSchema },
  'agent-card-beach-extension': { title: 'AgentCardBeachExtension', schema: beachExtensionSchema },
  progress: { title: 'Progress', schema: progressSchema },
}

/** What the names of the schemas begin with; a change that breaks their readers changes the version in it. */
export const schemaBase = 'https://beach.cool-ai.io/schemas/v1/'

/** The text of every published JSON Schema file, by file name. Further members are allowed wherever ours ignore them. */
export function jsonSchemaFiles(): Map<string, string> {
  return new Map(
    Object.entries(published).map(([name, { title, schema }]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' })
      return [
        `${name}.json`,
        `${JSON.stringify({ $schema, $id: `${schemaBase}${name}.json`, title, ...rest }, undefined, 2)}\n`,
      ]
    }),
  )
}
