import type { Frame } from '@cool-ai/beach-core'
import { TurnMessage, type MessageStep } from './turn-message.ts'
import type { ToolPart, UiMessage, UiPart } from './ui-message.ts'
import { chatMarkOf } from './chat-mark.ts'

type Written = Readonly<Record<string, unknown>>

/** A conversation as `useChat` keeps it, from the frames of its session. */
export async function uiHistory(frames: AsyncIterable<Frame>, viewer: string): Promise<readonly UiMessage[]> {
  const users = new Map<string, { id: string; parts: Written[] }>()
  const turns = new Map<string, TurnMessage>()
  const order: (() => UiMessage)[] = []
  for await (const frame of frames) {
    if (frame.kind === 'part' && frame.role === 'user') {
      const id = frame.partId.slice(0, frame.partId.lastIndexOf('.'))
      const message = users.get(id) ?? { id: chatMarkOf(frame.part) ?? id, parts: [] }
      if (!users.has(id)) order.push(() => ({ ...message, role: 'user' }))
      users.set(id, message)
      message.parts.push(...userPart(frame))
    } else if (frame.turnId !== undefined) {
      const { turnId } = frame
      const turn = turns.get(turnId) ?? new TurnMessage(viewer)
      if (!turns.has(turnId)) order.push(() => assistantMessage(turnId, turn))
      turns.set(turnId, turn)
      turn.apply(frame)
    }
  }
  return order.map((message) => message()).filter(({ parts }) => parts.length > 0)
}

function userPart({ part, partId }: Extract<Frame, { kind: 'part' }>): Written[] {
  const { text, data, metadata } = part
  if (text !== undefined) return [{ type: 'text', text }]
  const file = metadata.partType === 'message' ? filePart(data) : undefined
  if (file !== undefined) return [file]
  return [{ type: `data-${metadata.partType}`, id: partId, data }]
}

/** A file as the page has sent it: by its address, or with its bytes. */
function filePart(data: unknown): Written | undefined {
  const { url, raw, mediaType, filename } = Object(data) as Partial<Record<string, unknown>>
  if (typeof mediaType !== 'string') return undefined
  const address = typeof raw === 'string' ? `data:${mediaType};base64,${raw}` : url
  return typeof address === 'string' ? { type: 'file', url: address, mediaType, filename } : undefined
}

function assistantMessage(turnId: string, turn: TurnMessage): UiMessage {
  const { settled, cursor } = turn
  const metadata = { turnId, turnState: settled?.turnState, cursor }
  return { id: turnId, role: 'assistant', metadata, parts: turn.steps().flatMap(stepParts) }
}

function stepParts({ parts }: MessageStep): Written[] {
  return [
    { type: 'step-start' },
    ...parts.map(({ part }) => (part.type === 'dynamic-tool' ? toolPart(part) : writtenPart(part))),
  ]
}

function writtenPart(part: Exclude<UiPart, ToolPart>): Written {
  return part.type === 'text' || part.type === 'reasoning' ? { ...part, state: 'done' } : { ...part }
}

/** A call in the one state of the AI SDK that it is in. */
function toolPart({ outcome, approval, providerExecuted, ...call }: ToolPart): Written {
  const common = { ...call, ...(providerExecuted && { providerExecuted }), ...(approval && { approval }) }
  switch (outcome?.kind) {
    case 'output':
      return { ...common, state: 'output-available', output: outcome.output }
    case 'error':
      return { ...common, state: 'output-error', errorText: outcome.errorText }
    case 'denied':
      return { ...common, state: 'output-denied' }
    case undefined: {
      if (approval === undefined) return { ...common, state: 'input-available' }
      return { ...common, state: approval.approved === undefined ? 'approval-requested' : 'approval-responded' }
    }
  }
}
