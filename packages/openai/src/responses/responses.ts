import { deletedPrefix } from '@cool-ai/beach-channel/retention'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import { until } from '@cool-ai/beach-channel/live'
import { BeachError } from '@cool-ai/beach-core'
import { parseResponseId, refText, type AnswerRef } from '../answers/answer-ref.ts'
import { Answering } from '../answers/answering.ts'
import { readWhole, toldAsEvents, type Telling } from '../answers/told-answer.ts'
import { usageOf } from '../answers/usage.ts'
import type { Desk, Visit } from '../desk.ts'
import { paramError } from '../openai-error.ts'
import { beginAnswer, type Asking } from '../requests/begin-answer.ts'
import type { SaidBefore } from '../requests/history.ts'
import { placeOfAnswer } from '../requests/take-outputs.ts'
import type { GivenRequest } from '../requests/take-request.ts'
import { requireConversation } from './conversations.ts'
import { inputItems } from './input-items.ts'
import { keptRequest } from './kept-request.ts'
import { ResponseEvents } from './response-events.ts'
import { emptyResponse, responseObject, type Json, type ResponseEcho } from './response-object.ts'
import { givenInResponse, parseResponseRequest, type ResponseRequest } from './response-request.ts'

interface Told extends Telling {
  readonly echo: ResponseEcho
  /** Puts on record where the conversation stands, for clients that send it whole. */
  readonly keep?: (() => Promise<void>) | undefined
}

/** `/v1/responses`. */
export class Responses {
  readonly #asking: Asking
  readonly #desk: Desk

  constructor(asking: Asking) {
    this.#asking = asking
    this.#desk = asking.desk
  }

  create(request: Request): Promise<Response> {
    return this.#desk.answer(request, async (visit) => {
      const { parsed, given, taken, telling } = await beginAnswer(this.#asking, visit, {
        parse: parseResponseRequest,
        given: givenInResponse,
        check: ({ thread }) => this.#requireThread(thread),
      })
      const { said, plan } = taken
      const keep = given.thread === undefined ? () => this.#keep(telling.answering, said, given.user) : undefined
      const told = { ...telling, echo: echoOf(parsed), keep }
      if (parsed.stream === true) return this.#stream(told)
      if (plan.answer.isDetached) return this.#now(told)
      await readWhole(told)
      await keep?.()
      return this.#object(told)
    })
  }

  get(request: Request, id: string): Promise<Response> {
    return this.#desk.answer(request, async (visit) => {
      const query = new URL(request.url).searchParams
      const told = await this.#find(visit, id)
      return query.get('stream') === 'true' ? this.#stream(told, startIn(query)) : this.#now(told)
    })
  }

  cancel(request: Request, id: string): Promise<Response> {
    return this.#desk.answer(request, async (visit) => {
      const told = await this.#find(visit, id)
      await drain(told.answering, AbortSignal.abort())
      const { plan, answer, outcome } = told.answering
      const { session, principal } = plan.place
      const { sessions, signal } = this.#desk.options
      const isOpen = answer.turnId !== undefined && answer.settled === undefined
      if (!isOpen || !(await sessions.cancel(session, answer.turnId, principal))) {
        if (outcome.kind !== 'running') return this.#now(told)
        throw paramError('response_id', 'This response waits for an earlier one. Cancel that one, or try again.')
      }
      const end = until(request.signal, signal)
      const again = { ...told, answering: new Answering(this.#desk, plan) }
      await drain(again.answering, end.signal)
      end.now()
      return this.#object(again)
    })
  }

  delete(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const { answering } = await this.#find(visit, id)
      await this.#desk.options.store.bind(`${deletedPrefix}${refText(answering.plan.answer)}`, '')
      return jsonResponse({ id, object: 'response', deleted: true })
    })
  }

  inputItems(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const { answering } = await this.#find(visit, id)
      const { place, answer } = answering.plan
      const { parts } = await keptRequest(this.#desk.options.sessions, place, answer)
      const messageId = 'messageId' in answer.of ? answer.of.messageId : ''
      const data = parts.length === 0 ? [] : [inputItems(messageId, parts)]
      return jsonResponse({ object: 'list', data, first_id: messageId, last_id: messageId, has_more: false })
    })
  }

  /** A response of the caller's. */
  async #find(visit: Visit, id: string): Promise<Told> {
    const ref = parseResponseId(id)
    if (ref?.isStored !== true) throw notFound(id)
    await this.#requireKept(ref, 'response_id')
    const desk = this.#desk
    const { sessions, agent } = desk.options
    const place = await placeOfAnswer(ref, desk, visit.principal, 'response_id')
    const { metadata, previous } = await keptRequest(sessions, place, ref)
    const form = ref.isJson ? { schema: undefined } : undefined
    const answering = new Answering(desk, { place, answer: ref, form, isNew: false })
    return { desk, visit, answering, echo: { model: agent.id, metadata, previous } }
  }

  /** Refuses to go on with what the caller has deleted. */
  async #requireThread(thread: GivenRequest['thread']): Promise<void> {
    if (thread === undefined) return
    if ('after' in thread) await this.#requireKept(thread.after, 'previous_response_id')
    else await requireConversation(this.#desk, thread.name)
  }

  async #requireKept(ref: AnswerRef, param: string): Promise<void> {
    const key = `${deletedPrefix}${refText(ref)}`
    const found = await this.#desk.options.store.list(key, undefined, 1)
    if (found.some((one) => one.key === key))
      throw new BeachError('NOT_FOUND', 'This response was deleted.', { details: { param } })
  }

  /** A response as it stands. */
  async #now(told: Told): Promise<Response> {
    await drain(told.answering, AbortSignal.abort())
    return this.#object(told)
  }

  async #object(told: Told): Promise<Response> {
    const response = await this.#response(told)
    told.visit.leave()
    return jsonResponse(response)
  }

  async #response({ answering, echo }: Told): Promise<Json> {
    const usage = answering.outcome.kind === 'running' ? undefined : await usageOf(this.#desk, answering)
    return responseObject({ answering, echo, usage })
  }

  #stream(told: Told, after?: number): Response {
    return toldAsEvents(told, (signal, isOver) => this.#lines(told, { signal, isOver, after }))
  }

  async *#lines(
    told: Told,
    {
      signal,
      isOver,
      after,
    }: { readonly signal: AbortSignal; readonly isOver: () => void; readonly after: number | undefined },
  ): AsyncGenerator<string, void, undefined> {
    const { answering, echo } = told
    const events = new ResponseEvents(after)
    const begun = emptyResponse(answering.plan.answer, echo, 'in_progress')
    yield* lines(events.event('created', { response: begun }))
    yield* lines(events.event('in_progress', { response: begun }))
    for await (const change of answering.changes(signal)) yield* lines(events.of(change))
    const { outcome } = answering
    if (outcome.kind === 'running') {
      throw new BeachError('STOPPING', 'The answer was cut off. Ask for the response again: GET with `starting_after`.')
    }
    isOver()
    await told.keep?.()
    const response = await this.#response(told)
    const type = outcome.kind === 'failed' ? 'failed' : outcome.kind === 'cancelled' ? 'incomplete' : 'completed'
    yield* lines(events.event(type, { response }))
  }

  async #keep(answering: Answering, said: readonly SaidBefore[], user: string | undefined): Promise<void> {
    const { writer, upTo, outcome, answer, plan } = answering
    const text = writer.written
      .map(({ item }) => (item.kind === 'text' ? item.text : ''))
      .join('')
      .trim()
    if (outcome.kind !== 'completed' || text === '' || answer.turnId === undefined) return
    await this.#asking.tips.put([...said, { role: 'assistant', text }], plan.place, user, upTo)
  }
}

async function drain(answering: Answering, signal: AbortSignal): Promise<void> {
  for await (const _ of answering.changes(signal)) if (signal.aborted) continue
}

function* lines(events: readonly Json[]): Generator<string> {
  for (const event of events) yield JSON.stringify(event)
}

function startIn(query: URLSearchParams): number | undefined {
  const given = query.get('starting_after')
  if (given === null) return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw paramError('starting_after', '`starting_after` is the `sequence_number` of an event.')
}

function notFound(id: string): BeachError {
  return new BeachError('NOT_FOUND', `There is no response '${id.slice(0, 100)}'.`, {
    details: { param: 'response_id' },
  })
}

function echoOf(request: ResponseRequest): ResponseEcho {
  const {
    model,
    instructions,
    tools,
    text,
    tool_choice: toolChoice,
    metadata,
    previous_response_id: previous,
  } = request
  return { model, instructions, tools, text: text ?? undefined, toolChoice, metadata, previous }
}
