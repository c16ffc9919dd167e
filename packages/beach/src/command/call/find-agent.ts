import { fetchCard } from '@cool-ai/beach-channel/cards'
import { guardedFetch, type GuardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, systemRuntime } from '@cool-ai/beach-core'
import { readAgentCard, type ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'

/** A card as it was fetched, and what is read in it. */
export interface FoundCard {
  readonly url: string
  readonly json: unknown
  readonly card: ReadAgentCard
}

/** A fetch that reaches the address that a user names, which need not be public, and public ones. */
export function fetchFor(url: string): GuardedFetch {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BeachError('BAD_REQUEST', `'${url}' is not the address of an agent. Give one like https://agent.example.`)
  }
  return guardedFetch({ clock: systemRuntime().clock, allow: [new URL(url).origin] })
}

/** Where the card of an agent is: the address itself if it names a file, else at the well-known place below it. */
function cardUrlOf(url: string): string {
  if (new URL(url).pathname.endsWith('.json')) return url
  return new URL('.well-known/agent-card.json', url.endsWith('/') ? url : `${url}/`).href
}

export async function findCard(address: string, fetch: GuardedFetch): Promise<FoundCard> {
  const url = cardUrlOf(address)
  const { text = '' } = await fetchCard({ fetch, url, guard: {}, signal: AbortSignal.timeout(15_000) })
  return { url, ...readCard(text, url) }
}

function readCard(text: string, from: string): Pick<FoundCard, 'json' | 'card'> {
  try {
    return { json: JSON.parse(text) as unknown, card: readAgentCard(text) }
  } catch (cause) {
    if (cause instanceof BeachError) throw cause
    throw new BeachError('BAD_REQUEST', `${from} is not JSON.`, { cause })
  }
}
