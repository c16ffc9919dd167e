import { started } from '@cool-ai/beach-channel'
import { errorResponse, readJson } from '@cool-ai/beach-channel/http'
import { BeachError, type Channel, type ChannelContext } from '@cool-ai/beach-core'
import * as z from 'zod'

export interface PagerOptions {
  readonly gateway: string
  readonly key: string
}

const number = z.string().regex(/^\d{3,15}$/)
const page = z.object({ id: z.string().min(1).max(100), from: number, text: z.string().max(2_000) })

/** Pagers: a gateway posts what people send, and takes what they are to get. One pager is one conversation. */
export function pager({ gateway, key }: PagerOptions): Channel {
  let context: ChannelContext | undefined
  const authorization = `Bearer ${key}`
  async function take(request: Request): Promise<Response> {
    if (request.headers.get('authorization') !== authorization) throw new BeachError('UNAUTHENTICATED', 'Show the key.')
    const { data } = page.safeParse(await readJson(request))
    if (data === undefined) throw new BeachError('BAD_REQUEST', 'Send { id, from, text }.')
    const { sessions, tenant, signal } = started(context)
    if (signal.aborted) throw new BeachError('STORE_UNAVAILABLE', 'The agent is shutting down. Try again.')
    const id = `pager:${data.from}`
    const principal = { kind: 'user', id, tenant } as const
    const from = { id, transport: 'pager', deliveryClass: 'buffered', principal, address: data.from } as const
    const session = await sessions.open({ principal, key: id })
    const parts = [{ text: data.text, metadata: { partType: 'message' } }]
    await sessions.post(session, { parts, from, dedupeKey: `pager:${data.id}` }, principal)
    return new Response(null, { status: 202 })
  }

  return {
    transport: 'pager',
    deliveryClass: 'buffered',
    paths: ['/pager'],
    async start(given) {
      context = given
    },
    fetch: (request) => take(request).catch((error: unknown) => errorResponse(error, started(context).runtime)),
    async send({ address: to }, { parts }, delivery, signal) {
      const { partTypes } = started(context)
      const text = parts.flatMap((part) => partTypes.get(part.metadata.partType)?.toText?.(part) ?? []).join('\n')
      if (text === '') return { status: 'sent' }
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': delivery }
      const response = await fetch(gateway, { method: 'POST', headers, body: JSON.stringify({ to, text }), signal })
      await response.body?.cancel()
      if (response.ok) return { status: 'sent' }
      const isFinal = response.status >= 400 && response.status < 500 && response.status !== 429
      return { status: isFinal ? 'refused' : 'failed', reason: `The gateway answered ${response.status}.` }
    },
  }
}
