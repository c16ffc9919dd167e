import { actionResponsePayloadSchema, jsonSchemaOf, type JsonSchema } from '../schemas/index.ts'

let made: JsonSchema | undefined

/** The JSON Schema of the answer to an action; which action it answers is known by the question. */
export function actionResponseSchema(): JsonSchema {
  made ??= jsonSchemaOf(actionResponsePayloadSchema.omit({ actionId: true }))
  return made
}
