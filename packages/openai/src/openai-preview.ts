import { bufferedPreview } from '@cool-ai/beach-channel/previews'
import type { ChannelPreview, TurnPreview } from '@cool-ai/beach-core/ports'
import type { PartTypeRegistry } from '@cool-ai/beach-core'
import { Answer } from './answers/answer.ts'
import { AnswerWriter } from './answers/answer-writer.ts'
import { messageOf } from './chat/chat-chunks.ts'

/** What a client of OpenAI would have been told of a turn. */
export async function openAiPreview(
  turn: TurnPreview,
  partTypes: Pick<PartTypeRegistry, 'get'>,
): Promise<ChannelPreview> {
  const { sessionId, turnId, owner: principal } = turn
  const viewer = {
    id: `openai:${sessionId}:${principal.id}`,
    transport: 'openai',
    deliveryClass: 'streaming',
    principal,
    toolCalls: 'names',
  } as const
  const ref = {
    session: sessionId,
    from: 1,
    of: { turnId },
    isStored: true,
    decides: true,
    isDetached: false,
    isJson: false,
  }
  const answer = new Answer({ ref, viewer: viewer.id, partTypes })
  for (const frame of turn.frames(viewer)) if (frame.turnId === turnId) answer.apply(frame)
  const writer = new AnswerWriter()
  writer.update(answer.items)
  writer.close()
  const value = messageOf(writer.written)
  return bufferedPreview('OpenAI client', turn, [{ kind: 'json', title: 'message', value }])
}
