import * as z from 'zod'
import { formError, paramError } from '../openai-error.ts'
import { sessionOf } from '../requests/conversation-id.ts'
import { answerForm } from '../requests/answer-form.ts'
import { instructionsIn } from '../requests/client-offer.ts'
import { contentsOf } from '../requests/given-content.ts'
import type { GivenMessage, GivenRequest } from '../requests/take-request.ts'

const maxMessages = 2_000
const toolCall = z.looseObject({ id: z.string().max(2_000) })
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.unknown().optional(),
  tool_calls: z.array(toolCall).max(200).nullish(),
  tool_call_id: z.string().max(2_000).optional(),
})
const tool = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.unknown().optional() })
    .optional(),
})
const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1).max(maxMessages),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).max(200).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: z.unknown().optional(),
  n: z.number().nullish(),
  user: z.string().max(1_000).nullish(),
  safety_identifier: z.string().max(1_000).nullish(),
  metadata: z.record(z.string(), z.string().max(512)).nullish(),
})

type ChatMessage = z.infer<typeof message>
export type ChatRequest = z.infer<typeof chatBody>

/** The body of `POST /v1/chat/completions`. What only a model has, such as a temperature, is for the agent to decide. */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = chatBody.safeParse(body ?? {})
  if (!parsed.success) throw formError('chat completion', parsed.error)
  const { n, functions, modalities, logprobs, audio } = parsed.data
  if (n !== undefined && n !== null && n !== 1) throw paramError('n', 'An agent answers once: `n` is 1.')
  if (functions !== undefined) throw paramError('functions', '`functions` is no longer used by OpenAI: send `tools`.')
  if (logprobs === true) throw paramError('logprobs', 'An agent has no `logprobs`.')
  if (audio !== undefined && audio !== null) throw paramError('audio', 'This agent speaks in text only.')
  if (Array.isArray(modalities) && modalities.some((one) => one !== 'text')) {
    throw paramError('modalities', 'This agent speaks in text only.')
  }
  return parsed.data
}

/** A chat completion as what both APIs have in common. */
export function givenInChat(request: ChatRequest): GivenRequest {
  const { messages, tools, tool_choice: choice, user, safety_identifier: other, metadata } = request
  const name = metadata?.conversation_id
  const given = messages.map(givenMessage)
  return {
    messages: given,
    instructions: instructionsIn(given),
    form: answerForm(request.response_format, 'response_format'),
    tools: (tools ?? []).map(({ type, function: about }) => ({ type, ...about })),
    choice,
    user: user ?? other ?? undefined,
    thread: name === undefined ? undefined : { name: threadName(name), param: 'metadata.conversation_id' },
    terms: { isStored: true, isDetached: false },
  }
}

function givenMessage({ role, content, tool_call_id: callId }: ChatMessage, at: number): GivenMessage {
  const param = `messages[${at}]`
  const contents = contentsOf(content, `${param}.content`)
  if (role !== 'tool') return { role: role === 'developer' ? 'system' : role, contents, param }
  if (callId === undefined) throw paramError(param, 'A message of role `tool` has the `tool_call_id` that it is for.')
  return { role: 'output', contents, callId, param }
}

/** A session is named by its id, or by that of a conversation; every other name is the client's own. */
function threadName(name: string): string {
  return name.startsWith('conv_') ? sessionOf(name) : name
}
