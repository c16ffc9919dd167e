import type { GuardedFetch, RequestGuard } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError } from '@cool-ai/beach-core'
import { cardRefused } from './card-refusal.ts'

export interface CardRequest {
  readonly fetch: GuardedFetch
  readonly url: string
  /** The tag of the card that is already here. */
  readonly tag?: string
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
    headers: {
      accept: 'application/json',
      'a2a-version': '1.0',
      ...(tag === undefined ? {} : { 'if-none-match': tag }),
    },
    signal,
    guard: { ...guard, limits: { bytes: maxBytes } },
  })
  if (status === 304 && tag !== undefined) return { headers }
  if (status !== 200) {
    await body?.cancel()
    throw wrongStatus(new URL(url).host, status)
  }
  if (!isJson(headers.get('content-type'))) {
    await body?.cancel()
    throw cardRefused('media-type', 'What is at its address is not JSON. Check the address.')
  }
  return { text: await new Response(body).text(), headers }
}

/** Whether a media type is one of JSON's. */
export function isJson(type: string | null): boolean {
  return /^application\/(?:[\w.-]+\+)?json$/i.test((type ?? '').split(';', 1)[0]?.trim() ?? '')
}

function wrongStatus(host: string, status: number): BeachError {
  const hint = status === 404 || status === 410 ? 'Check its address.' : 'Try again later.'
  return new BeachError('UNREACHABLE', `${host} answers with the status ${status} instead of a card. ${hint}`, {
    details: { status },
  })
}
