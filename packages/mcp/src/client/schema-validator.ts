import { isBeachError } from '@cool-ai/beach-core'
import { foreignSchemaProblems, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import type { ClientOptions, JsonSchemaValidator } from '@modelcontextprotocol/client'

/**
 * Checks what a server's tool gives by the schema that the server has declared for it. The SDK's own validator would
 * match the server's patterns by backtracking. A schema that cannot be used says nothing: it is the server's own, and so
 * is the data.
 */
export const schemaValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator<Value>(schema: JsonSchema): JsonSchemaValidator<Value> {
    return (input) => {
      const problems = problemsOf(schema, input)
      return problems.length === 0
        ? { valid: true, data: input as Value, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: problems.join(' ') }
    }
  },
}

function problemsOf(schema: JsonSchema, input: unknown): string[] {
  try {
    return foreignSchemaProblems(schema, input, 'the result')
  } catch (error) {
    if (isBeachError(error, 'INVALID_CONFIGURATION')) return []
    throw error
  }
}
