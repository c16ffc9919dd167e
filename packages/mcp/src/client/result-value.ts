import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** What a model is shown of a result. A failure is data too: its words are the server's, not ours. */
export function resultValue({ content, structuredContent, isError }: CallToolResult, most: number): unknown {
  const texts = content.map(textOf)
  if (isError === true) return { failed: true, text: cut(texts.join('\n'), most) }
  if (structuredContent !== undefined && JSON.stringify(structuredContent).length <= most) return structuredContent
  return cut(texts.length === 0 ? JSON.stringify(structuredContent ?? null) : texts.join('\n'), most)
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

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (cut: ${text.length - most} more characters)`
}
