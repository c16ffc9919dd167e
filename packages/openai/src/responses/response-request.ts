import * as z from 'zod'
import { parseResponseId } from '../answers/answer-ref.ts'
import { formError, paramError } from '../openai-error.ts'
import { sessionOf } from '../requests/conversation-id.ts'
import { answerForm } from '../requests/answer-form.ts'
import { instructionsIn } from '../requests/client-offer.ts'
import { contentsOf } from '../requests/given-content.ts'
import type { GivenMessage, GivenRequest } from '../requests/take-request.ts'
import { BeachError } from '@cool-ai/beach-core'

const maxItems = 2_000
const item = z.looseObject({
  type: z.string().max(100).optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: z.unknown().optional(),
  call_id: z.string().max(2_000).optional(),
  output: z.unknown().optional(),
})
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((all) => Object.keys(all).length <= 16, 'has 16 entries at most')
const responseBody = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item).max(maxItems)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(500).nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  metadata: metadata.nullish(),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .max(200)
    .nullish(),
  tool_choice: z.unknown().optional(),
  text: z.looseObject({ format: z.unknown().optional() }).nullish(),
  user: z.string().max(1_000).nullish(),
  safety_identifier: z.string().max(1_000).nullish(),
})

type Item = z.infer<typeof item>
export type ResponseRequest = z.infer<typeof responseBody>

/** The body of `POST /v1/responses`. What only a model has, such as a temperature, is for the agent to decide. */
export function parseResponseRequest(body: unknown): ResponseRequest {
  const parsed = responseBody.safeParse(body ?? {})
  if (!parsed.success) throw formError('request for a response', parsed.error)
  const { prompt, previous_response_id: previous, conversation, store, background } = parsed.data
  if (prompt !== undefined && prompt !== null)
    throw paramError('prompt', 'Prompts of OpenAI are not known here: send `input`.')
  if (previous && conversation) {
    throw paramError('previous_response_id', 'Give either `previous_response_id` or `conversation`.')
  }
  if (background === true && store === false)
    throw paramError('store', 'A response in the background is stored: it is asked for again.')
  return parsed.data
}

/** A request for a response as what both APIs have in common. */
export function givenInResponse(request: ResponseRequest): GivenRequest {
  const {
    input,
    instructions,
    text,
    tools,
    tool_choice: choice,
    user,
    safety_identifier: other,
    store,
    background,
  } = request
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const messages = items.flatMap((one, at) => givenItem(one, `input[${at}]`))
  const { metadata: own, previous_response_id: previous } = request
  return {
    messages,
    instructions: instructionsIn(messages, instructions),
    form: answerForm(text?.format, 'text.format'),
    tools: tools ?? [],
    choice,
    user: user ?? other ?? undefined,
    thread: threadIn(request),
    terms: { isStored: store !== false, isDetached: background === true },
    mark: own || previous ? { ...(own && { metadata: own }), ...(previous && { previous }) } : undefined,
  }
}

function threadIn({ previous_response_id: previous, conversation }: ResponseRequest): GivenRequest['thread'] {
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id
    return { name: sessionOf(id), param: 'conversation' }
  }
  if (!previous) return undefined
  const after = parseResponseId(previous)
  if (after?.isStored === true) return { after }
  throw new BeachError('NOT_FOUND', `There is no response '${previous.slice(0, 100)}'.`, {
    details: { param: 'previous_response_id', code: 'previous_response_not_found' },
  })
}

/** What the agent itself had said comes back from clients that send the whole conversation. */
function givenItem({ type = 'message', role, content, call_id: callId, output }: Item, param: string): GivenMessage[] {
  switch (type) {
    case 'message': {
      if (role === undefined) throw paramError(param, 'A message has a `role`.')
      const contents = contentsOf(content, `${param}.content`)
      return [{ role: role === 'developer' ? 'system' : role, contents, param }]
    }
    case 'function_call_output':
      if (callId === undefined) throw paramError(param, 'An output has the `call_id` that it is of.')
      return [{ role: 'output', contents: contentsOf(output, `${param}.output`), callId, param }]
    case 'function_call':
    case 'reasoning':
      return [{ role: 'assistant', contents: [], param }]
    default:
      throw paramError(param, `An item of type '${type}' cannot be taken: send messages and outputs of function calls.`)
  }
}
