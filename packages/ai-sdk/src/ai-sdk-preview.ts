import { bufferedPreview } from '@cool-ai/beach-channel/previews'
import type { ChannelPreview, ShownCalls, TurnPreview } from '@cool-ai/beach-core/ports'
import { ChunkWriter } from './chunk-writer.ts'
import { TurnMessage } from './turn-message.ts'

/** What a page of the AI SDK would have been told of a turn. */
export async function aiSdkPreview(turn: TurnPreview, toolCalls: ShownCalls = 'names'): Promise<ChannelPreview> {
  const { sessionId, turnId, owner: principal } = turn
  const id = `ai-sdk:${sessionId}:${principal.id}`
  const message = new TurnMessage(id)
  const viewer = { id, transport: 'ai-sdk', deliveryClass: 'streaming', principal, toolCalls } as const
  for (const frame of turn.frames(viewer)) if (frame.turnId === turnId) message.apply(frame)
  const chunks = new ChunkWriter().update(message.steps())
  const items = chunks.map((value) => ({ kind: 'json' as const, title: value.type, value }))
  return bufferedPreview('AI SDK page', turn, items)
}
