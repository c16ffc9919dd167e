import { jsonResponse } from '@cool-ai/beach-channel/http'
import { textEvents, until } from '@cool-ai/beach-channel/live'
import { BeachError } from '@cool-ai/beach-core'
import { timeOfId } from '@cool-ai/beach-core/runtime'
import { beachOf } from '../answers/answer.ts'
import { refText } from '../answers/answer-ref.ts'
import { Answering } from '../answers/answering.ts'
import { usageOf } from '../answers/usage.ts'
import type { Desk, Visit } from '../desk.ts'
import { openAiError } from '../openai-error.ts'
import type { Asked, AskedRequests } from '../requests/asked.ts'
import { chatUsage, contentOf, deltaOf, finishReason, messageOf } from './chat-chunks.ts'
import { ChatTips } from './chat-history.ts'
import { parseChatRequest, type ChatRequest } from './chat-request.ts'
import { takeChat, type TakenChat } from './take-chat.ts'

interface Asking {
  readonly visit: Visit
  readonly body: unknown
  readonly asked: Asked
  readonly request: ChatRequest
  readonly taken: TakenChat
}

/** `POST /v1/chat/completions`: clients that send the whole conversation with each message. */
export class ChatCompletions {
  readonly #desk: Desk
  readonly #requests: AskedRequests
  readonly #tips: ChatTips

  constructor(desk: Desk, requests: AskedRequests) {
    this.#desk = desk
    this.#requests = requests
    this.#tips = new ChatTips(desk.options)
  }

  create(request: Request): Promise<Response> {
    return this.#desk.answer(request, async (visit) => {
      const body = await this.#desk.body(visit)
      const parsed = parseChatRequest(body)
      this.#desk.checkModel(parsed.model)
      const asked = await this.#requests.find(request, visit.principal, body)
      const taken = await takeChat({ desk: this.#desk, tips: this.#tips, asked, visit, body, request: parsed })
      const asking = { visit, body, asked, request: parsed, taken }
      return parsed.stream === true ? this.#stream(asking) : this.#whole(asking)
    })
  }

  async #whole(asking: Asking): Promise<Response> {
    const { visit, taken } = asking
    const answering = new Answering(this.#desk, taken.plan)
    try {
      await answering.whole(visit, () => this.#forget(asking))
    } catch (error) {
      this.#left(asking)
      throw error
    }
    this.#forget(asking)
    const { outcome, writer, answer } = answering
    if (outcome.kind === 'failed') throw new BeachError('ACTOR_FAILED', outcome.message, { details: { isFinal: true } })
    await this.#keep(asking, answering)
    const choice = {
      index: 0,
      message: messageOf(writer.written),
      logprobs: null,
      finish_reason: finishReason(outcome),
    }
    const usage = chatUsage(await usageOf(this.#desk, answering))
    const beach = beachOf(answer, taken.plan.place.session)
    return jsonResponse({ ...this.#about(asking, 'chat.completion'), choices: [choice], usage, beach })
  }

  #stream(asking: Asking): Response {
    const { visit, taken } = asking
    const { runtime, signal } = this.#desk.options
    const answering = new Answering(this.#desk, taken.plan)
    const end = until(visit.request.signal, signal)
    const followed = answering.follow(() => this.#forget(asking))
    let isOver = false
    const texts = this.#lines(asking, answering, end.signal, () => {
      isOver = true
    })
    const onError = (error: unknown) => {
      isOver = true
      runtime.logger.log('error', 'an answer to an OpenAI client failed', { error })
      return JSON.stringify({ error: openAiError(error) })
    }
    const onEnd = (isLeft: boolean) => {
      visit.leave()
      end.now()
      if (isLeft && !isOver) this.#left(asking)
      else this.#forget(asking)
      followed(isLeft && !isOver)
    }
    return textEvents(visit.request, texts, { heartbeats: this.#desk.heartbeats, onError, onEnd })
  }

  async *#lines(
    asking: Asking,
    answering: Answering,
    signal: AbortSignal,
    onOver: () => void,
  ): AsyncGenerator<string, void, undefined> {
    const about = this.#about(asking, 'chat.completion.chunk')
    const withUsage = asking.request.stream_options?.include_usage === true
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
    if (outcome.kind === 'running')
      throw new BeachError('STOPPING', 'The answer was cut off. Send the same request again.')
    onOver()
    if (outcome.kind === 'failed') {
      yield JSON.stringify({ error: openAiError(new BeachError('ACTOR_FAILED', outcome.message)) })
      return
    }
    await this.#keep(asking, answering)
    yield chunk({}, finishReason(outcome), { beach: beachOf(answer, asking.taken.plan.place.session) })
    if (withUsage) {
      const usage = chatUsage(await usageOf(this.#desk, answering))
      yield JSON.stringify({ ...about, choices: [], usage })
    }
    yield '[DONE]'
  }

  #about({ taken, request }: Asking, object: string) {
    const { answer } = taken.plan
    const id = 'messageId' in answer.of ? answer.of.messageId : answer.of.turnId
    const created = Math.floor((timeOfId(id) ?? 0) / 1_000)
    return { id: `chatcmpl-${refText(answer)}`, object, created, model: request.model, system_fingerprint: null }
  }

  /** Where the session is from now on, for the request that goes on with it. */
  async #keep({ taken }: Asking, { writer, upTo, outcome, answer }: Answering): Promise<void> {
    const text = contentOf(writer.written).trim()
    if (outcome.kind !== 'completed' || text === '' || answer.turnId === undefined) return
    await this.#tips.put([...taken.said, { role: 'assistant', text }], taken.plan.place, taken.user, upTo)
  }

  #left({ visit, body, asked, taken }: Asking): void {
    this.#requests.left(visit.request, visit.principal, body, asked, taken.plan.place.session)
  }

  #forget({ visit, body }: Asking): void {
    this.#requests.answered(visit.request, visit.principal, body)
  }
}
