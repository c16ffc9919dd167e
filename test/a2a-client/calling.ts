import { agentCaller, type AgentCallerOptions, type PeerPart, type Peers } from '@cool-ai/beach-a2a/peers'
import { mcpCaller } from '@cool-ai/beach-mcp/peers'
import { simulatedRuntime, type Runtime, type SimulatedClock } from '@cool-ai/beach-core'
import type { ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'

/** Peers with these cards. */
export function peersOf(cards: Readonly<Record<string, ReadAgentCard>>): Peers {
  return {
    ids: () => Object.keys(cards),
    byId: (id) => {
      const card = cards[id]
      return card && { id, card, transports: card.transports }
    },
  }
}

/** A caller of these peers, with a clock that stands still. */
export function caller(
  cards: Readonly<Record<string, ReadAgentCard>>,
  more: Partial<AgentCallerOptions> = {},
): ReturnType<typeof agentCaller> & { runtime: Runtime & { readonly clock: SimulatedClock } } {
  const runtime = simulatedRuntime()
  const made = agentCaller({ peers: peersOf(cards), agent: { id: 'home' }, fetch, runtime, mcp: mcpCaller, ...more })
  return { ...made, runtime }
}

export const hello = [{ text: 'hello', metadata: { partType: 'message' } }]

/** What came of a part while it arrived, in short. */
export function brief({ partId, part, isOpen, delta }: PeerPart): string {
  const { partType } = part.metadata
  return `${partId} ${partType} ${isOpen ? 'open' : 'whole'} ${delta ?? part.text ?? JSON.stringify(part.data)}`
}

/** Moves time on whenever something waits for it, until the promise is settled. */
export async function passing<Value>(clock: SimulatedClock, promise: Promise<Value>): Promise<Value> {
  const done = new AbortController()
  const settled = promise.finally(() => done.abort())
  settled.catch(() => {})
  while (!done.signal.aborted) {
    const next = clock.next()
    // Only what is near: the deadline of a call is a timer too.
    if (next !== undefined && next - clock.now() < 20_000) await clock.advance(next - clock.now())
    else await new Promise((resolve) => setImmediate(resolve))
  }
  return settled
}
