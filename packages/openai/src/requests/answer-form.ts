import { BeachError } from '@cool-ai/beach-core'
import { foreignSchemaProblems, isObject, type JsonSchema } from '@cool-ai/beach-protocol/json-schema'
import type { Answer } from '../answers/answer.ts'
import { paramError } from '../openai-error.ts'

/** A form that a client wants its answer in: JSON, by a schema where it gives one. */
export interface AnswerForm {
  readonly schema: JsonSchema | undefined
}

/** The form that a request asks for (`text.format`, `response_format`); undefined for text. */
export function answerForm(format: unknown, param: string): AnswerForm | undefined {
  if (format === undefined || format === null) return undefined
  if (!isObject(format)) throw paramError(param, `\`${param}\` is an object with a \`type\`.`)
  const { type } = format
  if (type === 'text') return undefined
  if (type === 'json_object') return { schema: undefined }
  const inner = isObject(format.json_schema) ? format.json_schema : format
  if (type !== 'json_schema' || !isObject(inner.schema)) {
    throw paramError(param, `\`${param}.type\` is 'text', 'json_object', or 'json_schema' with a \`schema\`.`)
  }
  try {
    foreignSchemaProblems(inner.schema, {}, 'the answer')
  } catch (error) {
    if (error instanceof BeachError) throw paramError(param, `The schema cannot be used. ${error.message}`)
    throw error
  }
  return { schema: inner.schema }
}

/** The answer in that form: domain data that fits, or a text that is such JSON; undefined when there is none. */
export function inForm({ data, items }: Answer, { schema }: AnswerForm): string | undefined {
  const fits = (value: unknown) =>
    isObject(value) && (schema === undefined || foreignSchemaProblems(schema, value, 'the answer').length === 0)
  const found = data.findLast((part) => part.metadata.partType === 'domain-data' && fits(part.data))
  if (found !== undefined) return JSON.stringify(found.data)
  const text = items.map((item) => (item.kind === 'text' ? item.text : '')).join('')
  try {
    return fits(JSON.parse(text)) ? text.trim() : undefined
  } catch {
    return undefined
  }
}

export const notInForm = 'The agent has answered, and not with data of this form.'
