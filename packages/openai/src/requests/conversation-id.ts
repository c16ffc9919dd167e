import { BeachError } from '@cool-ai/beach-core'

/** The session of a conversation. */
export function sessionOf(conversation: string): string {
  if (/^conv_[a-z0-9]+$/.test(conversation)) return `sess_${conversation.slice(5)}`
  throw new BeachError(
    'NOT_FOUND',
    `There is no conversation '${conversation.slice(0, 100)}'. POST /v1/conversations begins one.`,
    {
      details: { param: 'conversation' },
    },
  )
}
