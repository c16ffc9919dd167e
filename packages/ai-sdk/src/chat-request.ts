import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'

const maxMessages = 1_000
const maxParts = 1_000
const id = z.string().min(1).max(256)

const uiMessage = z.looseObject({
  id,
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(z.looseObject({ type: z.string().min(1).max(200) })).max(maxParts),
  metadata: z.unknown().optional(),
})
const chatBody = z.looseObject({
  id,
  messages: z.array(uiMessage).max(maxMessages).optional(),
  // Pages that keep requests small send only what is new.
  message: uiMessage.optional(),
  trigger: z.string().max(100).optional(),
  messageId: z.string().max(256).nullish(),
  tools: z.unknown().optional(),
})

/** A message as a page has it. */
export type GivenMessage = z.infer<typeof uiMessage>

/** What `useChat` sends. */
export interface ChatRequest {
  readonly id: string
  readonly messages: readonly GivenMessage[]
  /** True when the page wants another answer to its last message. */
  readonly isRegeneration: boolean
  readonly messageId: string | undefined
  readonly tools: unknown
}

/** The request of a page; members that are not known are left alone, since pages add their own. */
export function parseChatRequest(body: unknown): ChatRequest {
  const result = chatBody.safeParse(body ?? {})
  if (!result.success) {
    const problems = result.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
    throw new BeachError('BAD_REQUEST', `This is no request of useChat. ${problems.join('; ')}.`)
  }
  const { id: chat, messages = [], message, trigger, messageId, tools } = result.data
  const all = message === undefined ? messages : [...messages, message]
  if (all.length === 0) throw new BeachError('BAD_REQUEST', 'A request of useChat brings `messages`, at least one.')
  return {
    id: chat,
    messages: all,
    isRegeneration: trigger === 'regenerate-message',
    messageId: messageId ?? undefined,
    tools,
  }
}
