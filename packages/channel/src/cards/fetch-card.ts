import type { GuardedFetch, RequestGuard } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { cardRefused } from './card-refusal.ts'

export interface CardRequest {
  readonly fetch: GuardedFetch
  readonly url: string
  /** The tag of the card that is already here. */
  readonly tag?: string | undefined
  readonly guard: RequestGuard
  readonly signal: AbortSignal
}

/** The text of a card that was fetched; without one when the card that is here is still the current one. */
export interface FetchedCard {
  readonly text?: string
  readonly headers: Headers
}

const maxBytes = 256 * 1024

/** Asks for a card, or whether it has changed. */
export async function fetchCard({ fetch, url, tag, guard, signal }: CardRequest): Promise<FetchedCard> {
  const { headers, body, status } = await fetch(url, {
    headers: defined({ accept: 'application/json', 'a2a-version': '1.0', 'if-none-match': tag }),
    signal,
    guard: { ...guard, limits: { ...guard.limits, bytes: maxBytes } },
  })
  if (status === 304 && tag !== undefined) return { headers }
  if (status !== 200) {
    await body?.cancel()
    throw wrongStatus(new URL(url).host, status)
  }
  if (!isJson(headers.get('content-type'))) {
    await body?.cancel()
    throw cardRefused('media-type', 'There is no JSON at its address. Check the address.')
  }
  return { text: await new Response(body).text(), headers }
}

/** The tag by which a card is asked for again. */
export function tagIn(headers: Headers): string | undefined {
  const tag = headers.get('etag')
  return tag === null || tag.length > 256 ? undefined : tag
}

/** Whether a media type is one of JSON's. */
export function isJson(type: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json$/i.test((type ?? '').split(';', 1)[0]?.trim() ?? '')
}

function wrongStatus(host: string, status: number): BeachError {
  const hint = status === 404 || status === 410 ? 'Check its address.' : 'Try again later.'
  return new BeachError(
    'UNREACHABLE',
    `${host} answers with the status ${status} instead of what was asked for. ${hint}`,
    {
      details: { status },
    },
  )
}

/** The keys that an agent publishes; undefined when it publishes none. */
export async function fetchKeys({ fetch, url, guard, signal }: Omit<CardRequest, 'tag'>): Promise<unknown> {
  const { headers, body, status } = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal,
    guard: { ...guard, limits: { ...guard.limits, bytes: maxBytes } },
  })
  if (status === 200 && isJson(headers.get('content-type'))) return new Response(body).json()
  await body?.cancel()
  if (status === 404 || status === 410) return undefined
  throw wrongStatus(new URL(url).host, status)
}
