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

/** The name of the schema; a change that breaks its readers changes the version in it. */
const schemaId = 'https://beach.cool-ai.io/schemas/v1/evaluation.json'

let made: SchemaNode | undefined

/** The JSON Schema of files, for editors and for what is said of a wrong key. */
export function evaluationJsonSchema(): SchemaNode {
  return (made ??= schemaOfFiles())
}

function schemaOfFiles(): SchemaNode {
  const { $schema, ...rest } = z.toJSONSchema(evaluationSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => withoutFunctions(jsonSchema),
  })
  return { $schema, $id: schemaId, title: 'Evaluation', ...rest } as SchemaNode
}

/** Functions are for evaluations in code. */
function withoutFunctions(schema: Record<string, unknown>): void {
  const { properties } = schema as { properties?: Record<string, unknown> }
  for (const name of ['test', 'check']) delete properties?.[name]
}
