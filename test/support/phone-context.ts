import { setTimeout as wait } from 'node:timers/promises'
import {
  artifactLinks,
  createBeach,
  defineActor,
  serve,
  type ActorContext,
  type Beach,
  type BeachOptions,
} from '@cool-ai/beach'
import {
  silentLogger,
  systemClock,
  systemRuntime,
  type ArtifactStore,
  type Channel,
  type Principal,
  type Runtime,
} from '@cool-ai/beach-core'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { mergeOptions } from './merge-options.ts'

export const secret = new Uint8Array(32).fill(9)
export const operator: Principal = { kind: 'operator', id: 'test', tenant: 'default' }
export const quickPush = { attempts: 40, firstDelayMs: 2, maxDelayMs: 20 }

/** A store that one process after the other can use. */
export class LastingStore extends MemoryStore {
  override async close(): Promise<void> {}
}

/** A clock that can be moved ahead. */
export interface MovableClock {
  aheadMs: number
  readonly runtime: Runtime
  readonly now: () => number
}

export function movableClock(runtime: Runtime = systemRuntime({ logger: silentLogger })): MovableClock {
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs }
  const moved = { ...systemClock, now: clock.now }
  return Object.assign(clock, { runtime: { ...runtime, clock: moved } })
}

/** Where files are kept, and links to them. */
export interface PhoneFiles {
  readonly artifacts: ArtifactStore
  readonly artifactLink: (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>
}

export function phoneFiles({ runtime }: MovableClock, publicUrl = 'https://agent.example'): PhoneFiles {
  const artifacts = new MemoryArtifactStore({ runtime })
  const { clock } = runtime
  return { artifacts, artifactLink: artifactLinks({ artifacts, secret, clock, publicUrl, expiresInMs: 3_600_000 }) }
}

export interface PhoneProcess {
  readonly beach: Beach
  readonly url: string
  stop(): Promise<void>
}

/** One process of an agent with a channel to phones. */
export async function startProcess(
  actor: (turn: ActorContext) => Promise<void>,
  channel: Channel,
  more: Pick<BeachOptions, 'data' | 'runtime'> & Partial<BeachOptions>,
): Promise<PhoneProcess> {
  const beach = await createBeach(
    mergeOptions(
      {
        agent: { id: 'sally', name: 'Sally' },
        actors: { main: defineActor(actor) },
        data: { secret },
        turns: { leaseMs: 1_000 },
        channels: [channel],
      },
      more,
    ),
  )
  const serving = await serve(beach, { port: 0 })
  let stopped: Promise<void> | undefined
  return { beach, url: serving.url, stop: () => (stopped ??= serving.close()) }
}

/** Waits until the condition holds; what has not happened after a long time will not. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It did not happen: ${condition.toString()}`)
    await wait(5)
  }
}

export const echo = async ({ text, respond }: ActorContext): Promise<void> => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text.trim()}` }], turnState: 'complete' })
}

/** Books a flight after an approval, and answers questions about it. */
export function booker(ran: string[]) {
  return async ({ respond, tool, text, messages }: ActorContext): Promise<void> => {
    if (text.includes('?')) {
      const parts = messages.flatMap((message) => message.parts)
      const asked = parts.find(({ metadata }) => JSON.stringify(metadata.origin) === '{"others":"request"}')
      const about = /Flight: (.*)/.exec(asked?.text ?? '')?.[1] ?? 'nothing'
      return respond({
        parts: [{ partType: 'response', text: `${text} It is about ${about}.` }],
        turnState: 'complete',
      })
    }
    const call = { name: 'book', args: { flight: 'BA 2043', price: 187 }, requiresApproval: true }
    const { outcome } = await tool(call, async ({ key }) => {
      ran.push(key)
    })
    await respond({ parts: [{ partType: 'response', text: `booked: ${outcome}` }], turnState: 'complete' })
  }
}
