import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBeach, defineActor, openData, type Beach, type BeachOptions } from '@cool-ai/beach'
import {
  PartTypeRegistry,
  silentLogger,
  simulatedRuntime,
  StateMachineRegistry,
  systemRuntime,
  type Channel,
  type Envelope,
  type Originator,
  type Part,
  type Principal,
  type Runtime,
  type SendOutcome,
} from '@cool-ai/beach-core'
import type { Missive, Missives } from '@cool-ai/beach-missives'
import { onTestFinished } from 'vitest'
import { echo, operator, text, viewer } from './context-basics.ts'
// What the upkeep loads at its first run is loaded here: a simulated clock does not wait for it.
import '@cool-ai/beach-channel/retention'
import '../../packages/missives/src/upkeep/budget.ts'
import '../../packages/missives/src/upkeep/collect-artifacts.ts'
import '../../packages/missives/src/upkeep/erasure.ts'
import '../../packages/missives/src/upkeep/key-walk.ts'
import '../../packages/missives/src/upkeep/memory-walk.ts'
import '../../packages/missives/src/upkeep/retention.ts'
import '../../packages/missives/src/upkeep/session-walk.ts'
import '../../packages/session/src/erasure/idle-session.ts'

export { ann, bob, mailer, operator, text, viewer } from './context-basics.ts'

/** A channel that pushes: it keeps what it sent, and fails when it is told to. */
export class Post {
  readonly sent: { to: Originator; envelope: Envelope }[] = []
  readonly forgotten: string[] = []
  outcome: () => SendOutcome = () => ({ status: 'sent', externalId: `<${this.sent.length}@mail>` })

  readonly channel: Channel = {
    transport: 'smtp',
    deliveryClass: 'buffered',
    start: async () => {},
    push: { attempts: 3, firstDelayMs: 1_000 },
    send: async (to, envelope) => {
      const outcome = this.outcome()
      if (outcome.status === 'sent') this.sent.push({ to, envelope })
      return outcome
    },
    forget: async ({ id }) => void this.forgotten.push(id),
  }
}

/** A state machine whose one coordinate actors and peers may move. */
function machines(): StateMachineRegistry {
  const registry = new StateMachineRegistry()
  const stage = { initial: 'idea', transitions: { idea: ['booked'], booked: [] } }
  registry.register({ components: { trip: { allowHandlerTransitions: true, coordinates: { stage } } } })
  return registry
}

export interface AgentOptions extends Partial<Omit<BeachOptions, 'data'>> {
  readonly folder?: string
  /** Parts in place of those that are opened. */
  readonly data?: Exclude<BeachOptions['data'], string>
}

export type Agent = Beach & { readonly missives: Missives }

/** An agent on a data folder, or on memory with a simulated clock when none is given. */
export async function startAgent(options: AgentOptions & { runtime?: Runtime } = {}): Promise<Agent> {
  const { folder, data = {}, runtime = systemRuntime({ logger: silentLogger }), ...more } = options
  const opened = await openData({ folder: folder ?? '', runtime, ...(folder === undefined && { store: 'memory' }) })
  const partTypes = PartTypeRegistry.canonical()
  const missives = data.missives === false ? false : { ...opened.missives, ...data.missives }
  const beach = await createBeach({
    agent: { id: 'keeper', name: 'Keeper' },
    actors: { echo: defineActor(echo) },
    partTypes,
    stateMachines: machines(),
    data: { ...opened, ...data, missives },
    runtime,
    ...more,
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await beach.close()
  }
  onTestFinished(close)
  return { ...beach, close } as Agent
}

export function simulated() {
  return simulatedRuntime({ logger: silentLogger })
}

export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'beach-keeping-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Says something and waits until it is answered. */
export async function say(
  agent: Beach,
  session: string,
  words: string | readonly Part[],
  from: Originator = viewer(),
  by: Principal = from.principal,
): Promise<void> {
  const end = new AbortController()
  const parts = typeof words === 'string' ? [text(words)] : words
  const { messageId } = await agent.sessions.post(session, { parts, from }, by)
  let turnId: string | undefined
  for await (const frame of agent.sessions.follow(
    session,
    { ...viewer({ ...operator, tenant: by.tenant }), id: 'waits' },
    '0',
    end.signal,
  )) {
    if (frame.kind === 'turn' && frame.messageIds?.includes(messageId) === true) turnId = frame.turnId
    if (frame.kind === 'settled' && frame.turnId === turnId) break
  }
  end.abort()
}

export async function kept(agent: Agent, by: Principal = operator): Promise<readonly Missive[]> {
  await agent.missives.caughtUp()
  return (await agent.missives.find({ limit: 200 }, by)).items.toReversed()
}

/** A missive in short: its direction, channel, state, and what it says. */
export function short({ direction, channel, delivery, parts }: Missive): string {
  const said = parts.map((part) => part.text ?? part.metadata.partType).join(' | ')
  return `${direction} ${channel} ${delivery.state}: ${said}`
}

/** Lets things happen until the condition holds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 5_000; round++) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('It did not happen.')
}
