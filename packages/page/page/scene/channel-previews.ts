import type { DeliveryClass } from '@cool-ai/beach-core'
import type { ChannelPreview } from '@cool-ai/beach-core/ports'

/** What one channel gets of a turn. */
export interface ShownPreview extends ChannelPreview {
  readonly transport: string
  readonly deliveryClass: DeliveryClass
  /** False for a channel that this agent does not have: it is shown as it would be. */
  readonly isConfigured: boolean
}

/** Where the agent says what each channel gets of a turn; next to the page, which may be below a path. */
export function previewsPath(sessionId: string, turnId: string): string {
  return `./sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(turnId)}/previews`
}

/** Asks for it; rejects with the agent's own sentence when it has one. */
export async function channelPreviews(path: string, signal: AbortSignal): Promise<readonly ShownPreview[]> {
  const response = await fetch(path, { signal })
  const answer = (await response.json().catch(() => ({}))) as Answer
  if (answer.previews !== undefined) return answer.previews
  throw new Error(answer.error?.message ?? `The agent answers ${response.status}.`)
}

interface Answer {
  readonly previews?: readonly ShownPreview[]
  readonly error?: { readonly message: string }
}

/** A line of JSON, and whether it belongs to the part that is for models. */
export interface JsonLine {
  readonly text: string
  readonly isForModels: boolean
}

/** JSON as lines, with those marked that are llm-context: the part itself, wherever its protocol has put it. */
export function jsonLines(value: unknown): readonly JsonLine[] {
  const lines: JsonLine[] = []
  const texts = new Set(llmContexts(value))
  const write = (item: unknown, indent: string, name: string, comma: string, isWithin: boolean) => {
    const entries = entriesOf(item)
    const isForModels = isWithin || isLlmContext(item, texts)
    if (entries.length === 0) {
      lines.push({ text: `${indent}${name}${JSON.stringify(item)}${comma}`, isForModels })
      return
    }
    const isList = Array.isArray(item)
    lines.push({ text: `${indent}${name}${isList ? '[' : '{'}`, isForModels })
    for (const [index, [key, inner]] of entries.entries()) {
      const isLast = index === entries.length - 1
      write(inner, `${indent}  `, isList ? '' : `${JSON.stringify(key)}: `, isLast ? '' : ',', isForModels)
    }
    lines.push({ text: `${indent}${isList ? ']' : '}'}${comma}`, isForModels })
  }
  write(value, '', '', '', false)
  return lines
}

/** What is said to a model in it, each text once. */
export function llmContexts(value: unknown): readonly string[] {
  const own = isPart(value) && typeof value.text === 'string' ? [value.text] : []
  return [...new Set([...own, ...entriesOf(value).flatMap(([, inner]) => llmContexts(inner))])]
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).filter(([, item]) => item !== undefined)
}

function isPart(value: unknown): value is { readonly text?: unknown } {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false
  const { metadata } = value
  return (
    typeof metadata === 'object' && metadata !== null && 'partType' in metadata && metadata.partType === 'llm-context'
  )
}

/** A part or an artifact of that type, or a block that says the same: MCP has no types for them. */
function isLlmContext(value: unknown, texts: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isBlock = 'type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string'
  return isPart(value) || (isBlock && texts.has(String(value.text)))
}
