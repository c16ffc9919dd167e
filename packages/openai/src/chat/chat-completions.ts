import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import { timeOfId } from '@cool-ai/beach-core/runtime'
import { beachOf } from '../answers/answer.ts'
import { refText } from '../answers/answer-ref.ts'
import { readWhole, toldAsEvents, type Telling } from '../answers/told-answer.ts'
import { usageOf } from '../answers/usage.ts'
import { openAiError } from '../openai-error.ts'
import { beginAnswer, type Asking } from '../requests/begin-answer.ts'
import type { TakenRequest } from '../requests/take-request.ts'
import { chatUsage, contentOf, deltaOf, finishReason, messageOf } from './chat-chunks.ts'
import { givenInChat, parseChatRequest, type ChatRequest } from './chat-request.ts'

interface Chat extends Telling {
  readonly request: ChatRequest
  readonly taken: TakenRequest
  readonly user: string | undefined
}

/** `POST /v1/chat/completions`: clients that send the whole conversation with each message. */
export class ChatCompletions {
  readonly #asking: Asking

  constructor(asking: Asking) {
    this.#asking = asking
  }

  create(request: Request): Promise<Response> {
    return this.#asking.desk.answer(request, async (visit) => {
      const reading = { parse: parseChatRequest, given: givenInChat }
      const { parsed, given, taken, telling } = await beginAnswer(this.#asking, visit, reading)
      const chat = { ...telling, request: parsed, taken, user: given.user }
      return parsed.stream === true ? this.#stream(chat) : this.#whole(chat)
    })
  }

  async #whole(chat: Chat): Promise<Response> {
    await readWhole(chat)
    const { answering, taken } = chat
    const { outcome, writer, answer } = answering
    if (outcome.kind === 'failed') throw new BeachError('ACTOR_FAILED', outcome.message, { details: { isFinal: true } })
    await this.#keep(chat)
    const message = messageOf(writer.written)
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(outcome) }
    const usage = chatUsage(await usageOf(chat.desk, answering))
    const beach = beachOf(answer, taken.plan.place.session)
    return jsonResponse({ ...aboutOf(chat, 'chat.completion'), choices: [choice], usage, beach })
  }

  #stream(chat: Chat): Response {
    return toldAsEvents(chat, (signal, isOver) => this.#lines(chat, signal, isOver))
  }

  async *#lines(chat: Chat, signal: AbortSignal, isOver: () => void): AsyncGenerator<string, void, undefined> {
    const { answering, request, taken } = chat
    const about = aboutOf(chat, 'chat.completion.chunk')
    const withUsage = request.stream_options?.include_usage === true
    const chunk = (delta: object, reason: string | null = null, more: object = {}) => {
      const choice = { index: 0, delta, logprobs: null, finish_reason: reason }
      return JSON.stringify({ ...about, choices: [choice], ...(withUsage && { usage: null }), ...more })
    }
    yield chunk({ role: 'assistant', content: '', refusal: null })
    let calls = 0
    for await (const change of answering.changes(signal)) {
      const delta = deltaOf(change, calls)
      if (delta === undefined) continue
      if ('tool_calls' in delta) calls++
      yield chunk(delta)
    }
    const { outcome, answer } = answering
    if (outcome.kind === 'running') {
      throw new BeachError('STOPPING', 'The answer was cut off. Send the same request again.')
    }
    isOver()
    if (outcome.kind === 'failed') {
      yield JSON.stringify({ error: openAiError(new BeachError('ACTOR_FAILED', outcome.message)) })
      return
    }
    await this.#keep(chat)
    yield chunk({}, finishReason(outcome), { beach: beachOf(answer, taken.plan.place.session) })
    if (withUsage) {
      const usage = chatUsage(await usageOf(chat.desk, answering))
      yield JSON.stringify({ ...about, choices: [], usage })
    }
    yield '[DONE]'
  }

  /** Where the session is from now on, for the request that goes on with it. */
  async #keep({ answering, taken, user }: Chat): Promise<void> {
    const { writer, upTo, outcome, answer } = answering
    const text = contentOf(writer.written).trim()
    if (outcome.kind !== 'completed' || text === '' || answer.turnId === undefined) return
    await this.#asking.tips.put([...taken.said, { role: 'assistant', text }], taken.plan.place, user, upTo)
  }
}

function aboutOf({ taken, request }: Chat, object: string) {
  const { answer } = taken.plan
  const id = 'messageId' in answer.of ? answer.of.messageId : answer.of.turnId
  const created = Math.floor((timeOfId(id) ?? 0) / 1_000)
  return { id: `chatcmpl-${refText(answer)}`, object, created, model: request.model, system_fingerprint: null }
}
