/**
 * A run as clients before AG-UI 1.0 write it, in the form of 1.0: `null` for what is left out, and `binary` for images
 * and files. What is not understood stays as it is, and is refused with everything else that is wrong.
 */
export function currentForm(input: unknown): unknown {
  if (!isObject(input)) return input
  const { messages, tools, resume } = input
  return {
    ...(without(input, 'forwardedProps') as object),
    ...(Array.isArray(messages) && { messages: messages.map(currentMessage) }),
    ...(Array.isArray(tools) && { tools: tools.map((tool) => without(tool, 'parameters')) }),
    ...(Array.isArray(resume) && { resume: resume.map((entry) => without(entry, 'payload')) }),
  }
}

function currentMessage(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(currentPart) }
}

function currentPart(given: unknown): unknown {
  const part = without(given, 'metadata')
  if (!isObject(part) || part.type !== 'binary' || typeof part.mimeType !== 'string') return part
  const { mimeType, data, url, id, filename } = part
  const source = sourceOf({ data, url, id }, mimeType)
  if (source === undefined) return part
  return { type: kindOf(mimeType), source, ...(typeof filename === 'string' && { metadata: { filename } }) }
}

function sourceOf({ data, url, id }: Record<'data' | 'url' | 'id', unknown>, mimeType: string) {
  if (typeof data === 'string') return { type: 'data', value: data, mimeType }
  if (typeof url === 'string') return { type: 'url', value: url, mimeType }
  return typeof id === 'string' ? { type: 'file', value: id, mimeType } : undefined
}

function kindOf(mimeType: string): string {
  const [kind = ''] = mimeType.split('/')
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'document'
}

function without(value: unknown, key: string): unknown {
  if (!isObject(value) || value[key] !== null) return value
  const { [key]: _, ...rest } = value
  return rest
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
