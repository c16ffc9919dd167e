import { bufferedPreview, previewSessions } from '@cool-ai/beach-channel/previews'
import type { Runtime } from '@cool-ai/beach-core'
import type { ChannelPreview, TurnPreview } from '@cool-ai/beach-core/ports'
import { answerResult, answerContext, type AnswerOptions } from './answer-result.ts'
import { defaultConsumes } from './conversations.ts'
import { outcomeIn } from './turn-outcome.ts'

export interface McpPreviewOptions extends AnswerOptions {
  readonly runtime: Pick<Runtime, 'clock'>
  readonly consumes?: readonly string[] | undefined
}

/** The result that a call of the conversational tool would have had, from a client that cannot show forms. */
export function mcpPreview(options: McpPreviewOptions) {
  const context = answerContext(options)
  const { runtime, consumes = defaultConsumes } = options
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const { sessionId: session, turnId, owner: principal } = turn
    const id = `mcp:${session}:${principal.id}`
    const to = { id, transport: 'mcp', deliveryClass: 'buffered', principal, consumes } as const
    const conversation = { conversationId: session, session, principal, to }
    const sessions = previewSessions(turn)
    const begins = (frame: { readonly turnId?: string }) => frame.turnId === turnId
    const outcome = await outcomeIn(turn.frames(to), conversation, { begins }, { sessions, runtime })
    if (outcome === undefined) return bufferedPreview('MCP caller', turn, [])
    const value = await answerResult(outcome, conversation, context)
    return bufferedPreview('MCP caller', turn, [{ kind: 'json', title: 'CallToolResult', value }])
  }
}
