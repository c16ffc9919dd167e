import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** What a model is shown of a result. A failure is data too: its words are the server's, not ours. */
export function resultValue({ content, structuredContent, isError }: CallToolResult, max: number): unknown {
  const texts = content.map(textOf)
  if (isError === true) return { failed: true, text: cut(texts.join('\n'), max) }
  if (structuredContent !== undefined && JSON.stringify(structuredContent).length <= max) return structuredContent
  return cut(texts.length === 0 ? JSON.stringify(structuredContent ?? null) : texts.join('\n'), max)
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}]`
    case 'resource_link':
      return `[resource: ${block.title ?? block.name}, ${block.uri}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`
  }
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (cut: ${text.length - max} more characters)`
}
