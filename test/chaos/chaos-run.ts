import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { simulatedRuntime } from '@cool-ai/beach-core'
import type { PostgresServer } from '../support/postgres-server.ts'
import { Balancer } from './balancer.ts'
import { hasAllDeliveries, problemsOf } from './checks.ts'
import { holdByA2a } from './clients/a2a.ts'
import type { Client, ClientContext, Held } from './clients/client.ts'
import { holdByMcp } from './clients/mcp.ts'
import { holdByPage } from './clients/page.ts'
import { holdByWebhook } from './clients/webhook.ts'
import { Faults, type FaultKind } from './faults.ts'
import { Fleet } from './fleet.ts'
import { reasonOf } from './insist.ts'
import { Ledger } from './ledger.ts'
import { scriptOf, type Script, type Transcript, type Way } from './script.ts'

export interface ChaosOptions {
  readonly conversations: number
  readonly processes: number
  readonly seed: number
  /** How long conversations begin and faults happen; then all of them must end. */
  readonly seconds: number
  /** The server of the store; a SQLite file when left out. */
  readonly postgres?: PostgresServer | undefined
  /** The name of a bug of the simulator that each process has: a run must find it. */
  readonly bug?: string | undefined
}

export interface ChaosReport {
  readonly conversations: number
  readonly faults: Readonly<Record<FaultKind, number>>
  readonly runs: number
  readonly unknown: number
  readonly deliveries: number
  readonly repeats: number
  readonly seconds: number
  readonly problems: readonly string[]
  /** What the processes printed. */
  readonly output: string
}

const clients: Readonly<Record<Way, Client>> = {
  sse: holdByPage,
  websocket: holdByPage,
  a2a: holdByA2a,
  mcp: holdByMcp,
  webhook: holdByWebhook,
}

/** How long all conversations have to end once there are no more faults. */
const calmMs = 120_000
/** How long a full read of all conversations may take. */
const readingMs = 30_000
/** How long deliveries have to arrive once their conversations have ended. */
const lastDeliveriesMs = 10_000

/**
 * Holds conversations with an agent on several processes, which are killed and frozen meanwhile and whose database is
 * restarted, and judges from outside what came of them.
 */
export async function chaosRun(options: ChaosOptions): Promise<ChaosReport> {
  const chance = simulatedRuntime({ seed: options.seed })
  const faultChance = simulatedRuntime({ seed: options.seed + 1 })
  const random = () => chance.random()
  const faultRandom = () => faultChance.random()
  const scripts = Array.from({ length: options.conversations }, (_, index) => scriptOf(index, random))
  const began = performance.now()
  const signal = AbortSignal.timeout(options.seconds * 1_000 + calmMs)
  const folder = mkdtempSync(join(tmpdir(), 'beach-chaos-'))
  try {
    await using ledger = await Ledger.open(random)
    await using fleet = await Fleet.start({
      ...options,
      folder,
      signal,
      variables: (url) => variablesOf(options, ledger, url),
    })
    const faults = new Faults({ fleet, postgres: options.postgres, random: faultRandom })
    const balancer = new Balancer(fleet.servers.map((server) => server.port))
    const context: ClientContext = { balancer, ledger, signal }
    const [held] = await Promise.all([holdAll(scripts, options, context), faults.run(options.seconds * 1_000)])
    const transcripts = await Promise.all(held.map((each) => each.read(AbortSignal.timeout(readingMs))))
    await lastDeliveries(transcripts, ledger)
    return {
      conversations: transcripts.length,
      faults: countsOf(faults),
      runs: ledger.runs.length,
      unknown: transcripts.flatMap(({ answers }) => answers).filter(({ texts }) => texts[0]?.endsWith(': unknown'))
        .length,
      deliveries: new Set(ledger.received.map(({ to, key }) => `${to} ${key}`)).size,
      repeats: ledger.received.length - new Set(ledger.received.map(({ to, key }) => `${to} ${key}`)).size,
      seconds: (performance.now() - began) / 1_000,
      problems: problemsOf(transcripts, ledger, [...faults.happened, ...ledger.stalls]),
      output: fleet.servers.map((server) => server.output).join('\n'),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function variablesOf({ postgres, bug }: ChaosOptions, ledger: Ledger, url: string): Readonly<Record<string, string>> {
  return {
    CHAOS_STORE: postgres?.url() ?? 'sqlite',
    CHAOS_LEDGER: ledger.url,
    CHAOS_URL: url,
    BEACH_SECRET: 'chaos-has-a-secret-of-more-than-32-bytes',
    ...(bug !== undefined && { CHAOS_BUG: bug }),
  }
}

/** Begins the conversations over the time that faults happen, and gives each of them as it ended. */
function holdAll(scripts: readonly Script[], { seconds }: ChaosOptions, context: ClientContext): Promise<Held[]> {
  return Promise.all(
    scripts.map(async (script, index) => {
      await wait((seconds * 1_000 * 0.9 * index) / scripts.length)
      try {
        const held = await clients[script.way](script, context)
        return { read: (end: AbortSignal) => held.read(end).catch((error: unknown) => failed(script, error)) }
      } catch (error) {
        return { read: async () => failed(script, error) }
      }
    }),
  )
}

function failed(script: Script, error: unknown): Transcript {
  return { ...script, answers: [], problems: [`it did not end: ${reasonOf(error)}`] }
}

/** A conversation may have ended for its client before its last delivery has come. */
async function lastDeliveries(transcripts: readonly Transcript[], ledger: Ledger): Promise<void> {
  const deadline = performance.now() + lastDeliveriesMs
  while (!hasAllDeliveries(transcripts, ledger) && performance.now() < deadline) await wait(50)
}

function countsOf({ happened }: Faults): Record<FaultKind, number> {
  const count = (kind: FaultKind) => happened.filter((fault) => fault.kind === kind).length
  return { kill: count('kill'), freeze: count('freeze'), restart: count('restart') }
}
