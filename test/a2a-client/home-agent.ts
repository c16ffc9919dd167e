import { agentCaller, peerTools, type Peers } from '@cool-ai/beach-a2a/peers'
import { PartTypeRegistry, simulatedRuntime, TurnStateRegistry, type Frame, type Originator } from '@cool-ai/beach-core'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { llmActor, scriptedModel, type BudgetLimits, type ScriptedMessage, type ScriptRule } from '@cool-ai/beach-llm'
import { mcpCaller } from '@cool-ai/beach-mcp/peers'
import type { ReadAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { peersOf } from './calling.ts'

export const alice = { kind: 'user', id: 'alice', tenant: 't' } as const
export const viewer: Originator = { id: 'v', transport: 'sse', deliveryClass: 'streaming', principal: alice }

export const respond = (text: string, turnState = 'complete', partType = 'response'): ScriptedMessage => ({
  respond: { turnState, parts: [{ metadata: { partType }, text }] },
})

/** Asks the peer, in one message of the model. */
export const asks = (name: string, args: Record<string, unknown>): ScriptedMessage => ({ tools: [{ name, args }] })

/** Says these one after the other, beginning anew with each turn. */
export function inOrder(...messages: ScriptedMessage[]): ScriptRule[] {
  return [{ say: ({ step }) => messages[step] ?? respond('The script is over.', 'error', 'error') }]
}

/** An agent with a scripted model, whose only tools are its peers. */
export function homeAgent(options: {
  readonly cards?: Readonly<Record<string, ReadAgentCard>>
  /** Instead of those with these cards. */
  readonly peers?: Peers
  readonly rules: readonly ScriptRule[]
  readonly id?: string
  /** Where its own card is. */
  readonly card?: string
  readonly maxHops?: number
  /** What peers are called before their cards are here. */
  readonly names?: ReadonlyMap<string, string>
  readonly budget?: BudgetLimits
}) {
  const runtime = simulatedRuntime()
  const store = new MemoryStore({ runtime })
  const partTypes = PartTypeRegistry.canonical()
  const turnStates = TurnStateRegistry.canonical()
  const peers = options.peers ?? peersOf(options.cards ?? {})
  const agentId = options.id ?? 'home'
  const prompts: string[] = []
  const start = () => {
    const caller = agentCaller({ peers, agent: { id: agentId, card: options.card }, fetch, runtime, mcp: mcpCaller })
    const { maxHops, names } = options
    const tools = peerTools({ caller, peers, agentId, runtime, maxHops, names })
    const scripted = scriptedModel({ rules: options.rules })
    const model = {
      ...scripted,
      doStream: (call: Parameters<typeof scripted.doStream>[0]) => {
        prompts.push(JSON.stringify(call.prompt))
        return scripted.doStream(call)
      },
    }
    const { budget = {} } = options
    const registries = { partTypes, turnStates }
    const actor = llmActor({ name: 'home', prompt: 'You are Home.', model, tools, runtime, budget, ...registries })
    const sessions = new SessionTurnManager({
      store,
      runtime,
      partTypes,
      turnStates,
      actors: { home: actor },
      entry: 'home',
    })
    sessions.start()
    return sessions
  }
  return { runtime, store, prompts, start }
}

export type HomeAgent = ReturnType<typeof homeAgent>

/** Says something and follows the session until the turn is over, or waits for a decision. */
export async function say(
  sessions: SessionTurnManager,
  text: string,
  { session, from = viewer }: { session?: string; from?: Originator } = {},
): Promise<{ session: string; frames: Frame[]; seq: number }> {
  const id = session ?? (await sessions.open({ principal: alice }))
  const { seq } = await sessions.post(id, { parts: [{ text, metadata: { partType: 'message' } }], from }, alice)
  return { session: id, seq, frames: await follow(sessions, id, seq) }
}

/** What happens after this place, until the turn is over or waits for a decision. */
export async function follow(sessions: SessionTurnManager, session: string, after: number): Promise<Frame[]> {
  const frames: Frame[] = []
  const end = new AbortController()
  for await (const frame of sessions.follow(session, viewer, String(after), end.signal)) {
    frames.push(frame)
    if (frame.kind === 'settled' || (frame.kind === 'turn' && frame.turnState === 'suspended')) break
  }
  end.abort()
  return frames
}

/** The parts of the agent with the state that the turn was in, in short. */
export function reported(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => {
    if (frame.kind !== 'part' || frame.role !== 'agent') return []
    const { text, data, metadata } = frame.part
    return [`${frame.turnState} ${metadata.partType}: ${text ?? JSON.stringify(data)}`]
  })
}

export async function events({ store }: HomeAgent, session: string): Promise<SessionEvent[]> {
  return (await store.read(session, 0)).map(({ data }) => data as SessionEvent)
}
