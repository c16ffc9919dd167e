import type { Client } from '@a2a-js/sdk/client'
import { createBeach, defineActor, serve, type Beach, type BeachOptions } from '@cool-ai/beach'
import { apiKeyAuth, hashApiKey, newApiKey, type KnownCaller } from '@cool-ai/beach-channel/auth'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { onTestFinished } from 'vitest'
import { stockClient, type Way } from '../support/stock-a2a.ts'
import { mergeOptions } from '../support/merge-options.ts'

export {
  ways,
  stockClient,
  says,
  data,
  request,
  send,
  getTask,
  answerOf,
  textsOf,
  stateOf,
  approvalIn,
  collect,
  foldArtifacts,
  statesIn,
  type Way,
} from '../support/stock-a2a.ts'

export const runtime = systemRuntime({ logger: silentLogger })
const secret = new Uint8Array(32).fill(7)

/** An agent on a port of its own. */
export interface RunningAgent {
  readonly url: string
  readonly beach: Beach
  /** Stops it as a process would stop; its store is closed. */
  stop(): Promise<void>
}

export type AgentOptions = Partial<BeachOptions> & { readonly port?: number }

/** Starts an agent for one test, with an open A2A endpoint unless `a2a.auth` says otherwise. */
export async function startAgent(options: AgentOptions = {}): Promise<RunningAgent> {
  const { port = 0, ...given } = options
  const make = (publicUrl: string) =>
    createBeach(
      mergeOptions(
        {
          agent: {
            schemaVersion: '1.0',
            id: 'tester',
            name: 'Tester',
            description: 'Says what it is told.',
            version: '1.0.0',
            capabilities: [{ id: 'echo', description: 'Says it again.' }],
          },
          actors: { echo },
          data: { store: new MemoryStore({ runtime }), secret },
          runtime,
          publicUrl,
          turns: { leaseMs: 1_000 },
        },
        given,
      ),
    )
  const serving = await serve(make, { port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= serving.close())
  onTestFinished(stop)
  const { url, beach } = serving
  return { url, beach, stop }
}

/** A name for a context that no caller guesses, as callers without a credential need it. */
export function ownContext(name: string): string {
  return `${name}-5f1c9a3e-7b2d-4c68-9e0f-a1d2c3b4e5f6`
}

/** The stock SDK's client of a user with a token: its tasks are in sessions that it may ask for by their ids. */
export async function knownClient(url: string, way?: Way): Promise<Client> {
  return stockClient(url, way, await newToken(url))
}

/** The session of the only task that an agent has, which callers that began it without a credential do not know. */
export async function onlySession({ sessions }: Beach): Promise<string> {
  const { items } = await sessions.list({}, { kind: 'operator', id: 'olga', tenant: 'default' })
  if (items[0] === undefined || items.length > 1) throw new Error(`There are ${items.length} sessions.`)
  return items[0].sessionId
}

/** A bearer token of a new principal, from the agent itself. */
export async function newToken(url: string): Promise<string> {
  const response = await fetch(`${url}/sessions`, { method: 'POST' })
  return ((await response.json()) as { token: string }).token
}

/** An API key of a caller, with the authenticator that knows it. */
export function apiKey(header: string, who: Partial<KnownCaller> = {}) {
  const key = newApiKey()
  const known = { id: 'baxter', tenant: 'default', ...who, hash: hashApiKey(key) }
  return { headers: { [header]: key }, authenticate: apiKeyAuth({ header, keys: [known] }) }
}

/** Says it again, in pieces. */
const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'I see.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: pieces(['You said ', text]) }], turnState: 'complete' })
})

async function* pieces(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** Something that a test opens when it wants others to go on. */
export class Gate {
  readonly opened: Promise<void>
  open: () => void = () => {}

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve))
  }
}
