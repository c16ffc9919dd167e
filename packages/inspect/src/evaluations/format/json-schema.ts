import { z } from 'zod'
import { evaluationSchema } from './evaluation.ts'

/** As much of a JSON Schema as is looked at here. */
export interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined
  readonly items?: SchemaNode | undefined
  readonly additionalProperties?: SchemaNode | boolean | undefined
  readonly anyOf?: readonly SchemaNode[] | undefined
  readonly allOf?: readonly SchemaNode[] | undefined
}

let made: SchemaNode | undefined

/** The JSON Schema of files, for editors and for what is said of a wrong key. */
export function evaluationJsonSchema(): SchemaNode {
  made ??= z.toJSONSchema(evaluationSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => withoutFunctions(jsonSchema),
  }) as SchemaNode
  return made
}

/** Functions are for evaluations in code. */
function withoutFunctions(schema: Record<string, unknown>): void {
  const { properties } = schema as { properties?: Record<string, unknown> }
  for (const name of ['test', 'check']) delete properties?.[name]
}
