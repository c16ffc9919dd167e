import type { Tool } from '@modelcontextprotocol/server'

const text = (description: string) => ({ type: 'string', description })

/** What the conversational tool's structured result is; further members may come. */
export const answerSchema: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  description: 'The answer of the agent: an envelope of typed parts, and the conversation that it belongs to.',
  properties: {
    conversationId: text('Pass it with the next message to go on with this conversation.'),
    role: { type: 'string', const: 'agent' },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          data: {},
          metadata: {
            type: 'object',
            properties: { partType: text('What the part is, such as response, domain-data or artifact.') },
            required: ['partType'],
          },
        },
        required: ['metadata'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        sessionId: { type: 'string' },
        turnId: { type: 'string' },
        producedAt: { type: 'string' },
        turnState: text('complete, clarifying, error, or suspended while a decision is needed.'),
        finalizedBy: text('How the turn came to its end; absent while it has not.'),
      },
      required: ['sessionId', 'turnId', 'producedAt'],
    },
    pendingApprovals: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of approvals that must be decided before the agent goes on.',
    },
  },
  required: ['conversationId', 'role', 'parts', 'meta'],
}
