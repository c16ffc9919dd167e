import type { CardReader } from '@cool-ai/beach-channel/cards'
import type { UseSharing } from '@cool-ai/beach-channel/admission'
import type { AgentSettings } from './agent-settings.ts'
import type { openPeers } from './peers.ts'

type Peers = ReturnType<typeof openPeers>

/** Reads the cards that callers name. The code for it is loaded with the first card: most agents never need it. */
export async function callerCardsOf(
  { callerCards = {}, runtime }: AgentSettings,
  peers: Peers | undefined,
  sharing: UseSharing,
  signal: AbortSignal,
): Promise<CardReader | undefined> {
  if (callerCards === false) return undefined
  const allowOrigins = callerCards.allowOrigins && (await originsOf(callerCards.allowOrigins))
  let opened: Promise<CardReader> | undefined
  const open = async () => {
    const { CallerCards } = await import('@cool-ai/beach-channel/cards')
    const { guardedFetch } = await import('@cool-ai/beach-channel/guarded-fetch')
    const fetch = guardedFetch({ clock: runtime.clock })
    signal.addEventListener('abort', () => void fetch.close(), { once: true })
    return new CallerCards({
      fetch,
      runtime,
      allowOrigins,
      listed: (address) => peers?.cardAt(address),
      sharing,
      signal,
    })
  }
  return { of: async (address, by) => (await (opened ??= open())).of(address, by) }
}

async function originsOf(given: readonly string[]) {
  const { parseOrigin } = await import('@cool-ai/beach-channel/guarded-fetch')
  return given.map(parseOrigin)
}
