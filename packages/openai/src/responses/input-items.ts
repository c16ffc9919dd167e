import type { Part } from '@cool-ai/beach-core'
import type { Json } from './response-object.ts'

/** A message as an item of a conversation. */
export function inputItems(messageId: string, parts: readonly Part[]): Json {
  const content = parts.map(({ text, data }) => {
    return text === undefined ? { type: 'input_file', ...fileOf(data) } : { type: 'input_text', text }
  })
  return { id: messageId, type: 'message', role: 'user', status: 'completed', content }
}

function fileOf(data: unknown): Json {
  if (typeof data !== 'object' || data === null) return {}
  const { url, name, filename = name } = data as Readonly<Record<string, unknown>>
  return { ...(typeof url === 'string' && { file_url: url }), ...(typeof filename === 'string' && { filename }) }
}
