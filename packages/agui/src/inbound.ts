import type { ContentPart, UserMessage } from '@ag-ui/core'
import { BeachError, type Clock, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { parsePart } from '@cool-ai/beach-protocol'
import type { AguiMark } from './agui-mark.ts'
import type { RunInput } from './run-input.ts'

/** The parts of a client's messages, in the order in which they were said. */
export function messageParts(messages: readonly UserMessage[], runId: string): Part[] {
  return messages.flatMap(({ id: messageId, content }, index) => {
    const agui: AguiMark = { runId, messageId }
    // What is said in several messages is no one sentence.
    const end = index < messages.length - 1 ? '\n' : ''
    if (typeof content === 'string') return content === '' ? [] : [{ text: content + end, metadata: said(agui) }]
    return content.map((part) => ({ ...contentOf(part, end), metadata: said(agui) }))
  })
}

/** The user's answer to a question. */
export function answerPart(text: string, runId: string): Part {
  return { text, metadata: said({ runId }) }
}

/** What the application tells the agent for this run: data, each with its own words of what it is. */
export function contextParts({ context, runId }: RunInput): Part[] {
  return context.map(({ description, value }) => ({
    data: { context: description, value },
    metadata: said({ runId }),
  }))
}

/** What the user did on a surface. */
export function actionPart({ forwardedProps, runId }: RunInput, partTypes: PartTypeRegistry, clock: Clock) {
  const sent = own(forwardedProps, 'a2uiAction')
  const given = own(sent, 'userAction')
  if (given === undefined) return undefined
  if (typeof given !== 'object' || given === null) {
    throw new BeachError('BAD_REQUEST', '`forwardedProps.a2uiAction.userAction` is the action of an A2UI surface.')
  }
  const { name, surfaceId, sourceComponentId, timestamp, context } = given as Record<string, unknown>
  const action = {
    name,
    surfaceId,
    sourceComponentId,
    timestamp: timestamp ?? new Date(clock.now()).toISOString(),
    context: context ?? {},
  }
  const version = own(sent, 'version') ?? 'v0.9'
  const a2uiClientDataModel = own(sent, 'a2uiClientDataModel')
  const model = a2uiClientDataModel === undefined ? {} : { a2uiClientDataModel }
  const metadata = { partType: 'a2ui-action', agui: { runId }, ...model }
  return parsePart({ data: { version, action }, metadata }, partTypes)
}

/** What is for a namespace of the application's: `forwardedProps.<ns>` is a part of type `<ns>.forwarded`, where there is one. */
export function forwardedParts({ forwardedProps, runId }: RunInput, partTypes: PartTypeRegistry): Part[] {
  if (typeof forwardedProps !== 'object' || forwardedProps === null) return []
  return Object.entries(forwardedProps as Record<string, unknown>).flatMap(([ns, data]) => {
    const partType = `${ns}.forwarded`
    if (!partTypes.has(partType)) return []
    return [parsePart({ data, metadata: { partType, agui: { runId } } }, partTypes)]
  })
}

function said(agui: AguiMark): Part['metadata'] {
  return { partType: 'message', agui }
}

/** Pictures and files come as data: what can be made of them is for the actor to decide. */
function contentOf(part: ContentPart, end: string): Pick<Part, 'text' | 'data'> {
  if (part.type === 'text') return { text: part.text + end }
  const { source } = part
  const about = {
    kind: part.type,
    ...defined({ mediaType: source.mimeType }),
    ...nameIn(part.metadata),
  }
  switch (source.type) {
    case 'data':
      return { data: { raw: source.value, ...about } }
    case 'url':
      return { data: { url: source.value, ...about } }
    case 'file': {
      const provider = source.provider === undefined ? {} : { provider: source.provider }
      return { data: { file: source.value, ...provider, ...about } }
    }
  }
}

function nameIn(metadata: unknown): { readonly filename?: string } {
  const filename = own(metadata, 'filename')
  return typeof filename === 'string' ? { filename } : {}
}

/** A member of something that came from outside. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}
