import type { ThreadSession } from '@cool-ai/beach-channel/threads'
import { deletedPrefix } from '@cool-ai/beach-channel/retention'
import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Frame, type Part } from '@cool-ai/beach-core'
import { ifFound, timeOfId } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import { Answer } from '../answers/answer.ts'
import { AnswerWriter } from '../answers/answer-writer.ts'
import type { Desk, Visit } from '../desk.ts'
import { formError, paramError } from '../openai-error.ts'
import { inputItems } from './input-items.ts'
import { outputItem, type Json } from './response-object.ts'
import { sessionOf } from '../requests/conversation-id.ts'

const createBody = z.looseObject({
  items: z.array(z.unknown()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
})
const maxPage = 100

/** `/v1/conversations`: sessions by the names that OpenAI's clients have for them. */
export class Conversations {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  create(request: Request): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const parsed = createBody.safeParse((await this.#desk.body(visit)) ?? {})
      if (!parsed.success) throw formError('conversation', parsed.error)
      const { items, metadata } = parsed.data
      if (items && items.length > 0)
        throw paramError('items', 'Begin the conversation without `items`, and say them with a response.')
      if (metadata && Object.keys(metadata).length > 0)
        throw paramError('metadata', 'Conversations keep no `metadata` here.')
      const session = await this.#desk.options.sessions.open({ principal: visit.principal })
      return jsonResponse(conversationOf(session))
    })
  }

  get(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const { session } = await this.#find(visit, id)
      return jsonResponse(conversationOf(session))
    })
  }

  delete(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const { session } = await this.#find(visit, id)
      await this.#desk.options.store.bind(`${deletedPrefix}${session}`, '')
      return jsonResponse({ id, object: 'conversation.deleted', deleted: true })
    })
  }

  items(request: Request, id: string): Promise<Response> {
    return this.#desk.answerAtOnce(request, async (visit) => {
      const place = await this.#find(visit, id)
      const all = await this.#itemsOf(place)
      const query = new URL(request.url).searchParams
      const ordered = query.get('order') === 'asc' ? all : all.toReversed()
      const start = ordered.findIndex((one) => one.id === query.get('after')) + 1
      const limit = Math.min(Math.max(1, Number(query.get('limit') ?? 20) || 20), maxPage)
      const data = ordered.slice(start, start + limit)
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
      return jsonResponse({ object: 'list', data, ...ends, has_more: start + limit < ordered.length })
    })
  }

  async #find({ principal }: Visit, id: string): Promise<ThreadSession> {
    const session = sessionOf(id)
    await requireConversation(this.#desk, session)
    const place = await ifFound(this.#desk.threads.find(session, principal))
    if (place !== undefined) return place
    throw new BeachError('NOT_FOUND', 'There is no such conversation, or it is not yours.', {
      details: { param: 'conversation_id' },
    })
  }

  /** Everything that was said, oldest first. */
  async #itemsOf({ session, viewer }: ThreadSession): Promise<Json[]> {
    const { sessions, partTypes } = this.#desk.options
    const found: (() => Json[])[] = []
    const users = new Map<string, Part[]>()
    const turns = new Map<string, Answer>()
    for await (const frame of sessions.history(session, viewer)) {
      if (frame.kind === 'part' && frame.role === 'user') said(frame)
      else if (frame.turnId !== undefined) turnOf(frame.turnId).apply(frame)
    }
    return found.flatMap((items) => items())

    function said({ partId, part }: Extract<Frame, { kind: 'part' }>): void {
      const id = partId.slice(0, partId.lastIndexOf('.'))
      const parts = users.get(id)
      if (parts !== undefined) return void parts.push(part)
      const begun = [part]
      users.set(id, begun)
      found.push(() => [inputItems(id, begun)])
    }

    function turnOf(turnId: string): Answer {
      const known = turns.get(turnId)
      if (known !== undefined) return known
      const terms = { isStored: true, decides: true, isDetached: false, isJson: false }
      const ref = { session, from: 1, of: { turnId }, ...terms }
      const answer = new Answer({ ref, viewer: viewer.id, partTypes })
      turns.set(turnId, answer)
      found.push(() => {
        const writer = new AnswerWriter()
        writer.update(answer.items)
        writer.close()
        return writer.written.map((written) => outputItem(written))
      })
      return answer
    }
  }
}

/** Refuses a conversation that its caller has deleted. */
export async function requireConversation({ options }: Desk, session: string): Promise<void> {
  const key = `${deletedPrefix}${session}`
  const found = await options.store.list(key, undefined, 2)
  if (!found.some((one) => one.key === key)) return
  throw new BeachError('NOT_FOUND', 'This conversation was deleted.', { details: { param: 'conversation' } })
}

function conversationOf(session: string): Json {
  const created = Math.floor((timeOfId(session) ?? 0) / 1_000)
  return { id: `conv_${session.slice(5)}`, object: 'conversation', created_at: created, metadata: {} }
}
