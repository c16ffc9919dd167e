import { setTimeout as wait } from 'node:timers/promises'
import '../support/prompt-smtp.mjs'
import { registerA2ui } from '@cool-ai/beach-a2ui'
import {
  PartTypeRegistry,
  silentLogger,
  systemRuntime,
  TurnStateRegistry,
  type Actor,
  type ArtifactStore,
  type Logger,
  type Runtime,
  type Store,
} from '@cool-ai/beach-core'
import type { ContractActor } from '@cool-ai/beach-core/contracts'
import { email, type EmailChannel, type EmailChannelOptions } from '@cool-ai/beach-email'
import {
  defineActor,
  SessionTurnManager,
  type ActorContext,
  type SessionTurnManagerOptions,
} from '@cool-ai/beach-session'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { channelContext } from '@cool-ai/beach-testing/contracts'
import { domains, postOffice, type Domains, type PostOffice } from '@cool-ai/beach-testing/mail'

export const agent = 'agent@corp.example'
export const tenant = 'acme'
const secret = new Uint8Array(32).fill(7)

/** A store, the world's mail, and domains; processes of the agent come and go. */
export interface EmailTestContext {
  readonly store: Store
  readonly office: PostOffice
  readonly domains: Domains
  readonly runtime: Runtime
  readonly log: readonly { readonly message: string; readonly fields: unknown }[]
  start(
    actor: ContractActor | ((turn: ActorContext) => Promise<void>) | Actor,
    options?: Partial<EmailChannelOptions>,
    more?: Partial<SessionTurnManagerOptions>,
  ): Promise<EmailProcess>
  close(): Promise<void>
}

export interface EmailProcess {
  readonly sessions: SessionTurnManager
  readonly channel: EmailChannel
  stop(): Promise<void>
}

export async function emailTestContext(
  given: { artifacts?: ArtifactStore; runtime?: Runtime } = {},
): Promise<EmailTestContext> {
  const log: { message: string; fields: unknown }[] = []
  const logger: Logger = { ...silentLogger, log: (_, message, fields) => void log.push({ message, fields }) }
  const runtime = given.runtime ?? systemRuntime({ logger })
  const store = new MemoryStore({ runtime })
  const office = await postOffice()
  const known = domains()
  const running = new Set<EmailProcess>()
  let isClosed = false
  const partTypes = PartTypeRegistry.canonical()
  registerA2ui(partTypes)
  return {
    store,
    office,
    domains: known,
    runtime,
    log,
    async start(actor, options = {}, more = {}) {
      const channel = email({
        address: agent,
        name: 'Sally',
        outbound: office.outbound,
        smtp: { host: '127.0.0.1', port: 0 },
        dns: known.dns,
        push: { firstDelayMs: 5, maxDelayMs: 20, attempts: 1_000 },
        ...options,
      })
      const sessions = new SessionTurnManager({
        store,
        runtime,
        partTypes,
        turnStates: TurnStateRegistry.canonical(),
        actors: { actor: 'run' in actor ? actor : defineActor(actor) },
        channels: [channel],
        ...more,
      })
      const ending = new AbortController()
      await channel.start(
        channelContext({ sessions, store, signal: ending.signal, ...given, runtime, partTypes, tenant, secret }),
      )
      sessions.start()
      const process: EmailProcess = {
        sessions,
        channel,
        async stop() {
          running.delete(process)
          ending.abort()
          await sessions.stop()
        },
      }
      running.add(process)
      return process
    },
    async close() {
      if (isClosed) return
      isClosed = true
      for (const process of running) await process.stop()
      await office.close()
      await store.close()
    },
  }
}

const maxWaitMs = 30_000

/** Waits until the condition holds; what has not happened after a long time will not. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + maxWaitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It did not happen: ${condition.toString()}`)
    await wait(5)
  }
}
