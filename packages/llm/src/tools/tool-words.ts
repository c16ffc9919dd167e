import type { ToolWords } from '@cool-ai/beach-core/ports'
import { inWords } from '@cool-ai/beach-core/runtime'
import type { RegisteredTool } from './tool-registry.ts'

const maxLabelLength = 100
const firstSentence = /^.*?[.!?](?=\s|$)/s

/** What people call a tool and its arguments: the titles in its definition, and the first sentence of its description. */
export function toolWords({ definition, input }: RegisteredTool): ToolWords {
  const { name, title = inWords(name), description } = definition
  const properties: unknown = input.jsonSchema.properties
  const members = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  const labels = members.flatMap(([argument, schema]: [string, unknown]) => {
    const given = typeof schema === 'object' && schema !== null && 'title' in schema ? schema.title : undefined
    return typeof given === 'string' && given !== '' ? [[argument, given.slice(0, maxLabelLength)]] : []
  })
  const summary = firstSentence.exec(description)?.[0] ?? description
  return { title, summary, labels: Object.fromEntries(labels) as Record<string, string> }
}
