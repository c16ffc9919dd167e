import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
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
import { untilQuiet } from './progress.ts'
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

/** How long nothing may happen, once there are no more faults, while conversations have not ended. */
const quietMs = 60_000
/**
 * How long no delivery may arrive while some are missing. The receiver is busy each tenth time, and after four attempts
 * that failed A2A pauses for up to 16 s.
 */
const lastDeliveriesMs = 60_000
/** How long all of it may take at most. */
const maxMs = 900_000
/** How long a client that is told to end may take to say what it has. */
const lastWordMs = 10_000
/** How long a full read of one conversation may take, and how many are read at once. */
const readingMs = 60_000
const readAtOnce = 20

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
  const giveUp = new AbortController()
  const signal = AbortSignal.any([giveUp.signal, AbortSignal.timeout(maxMs)])
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
    const ended: Held[] = []
    const holding = holdAll(scripts, options, context, ended)
    await faults.run(options.seconds * 1_000)
    const done = () => ledger.runs.length + ledger.received.length + ended.length
    await untilQuiet({ done, quietMs, maxMs }, () => ended.length === scripts.length)
    giveUp.abort(new Error(`Nothing happens any more, and ${scripts.length - ended.length} have not ended.`))
    const transcripts = await readAll(await holding)
    const received = () => ledger.received.length
    await untilQuiet({ done: received, quietMs: lastDeliveriesMs, maxMs }, () => hasAllDeliveries(transcripts, ledger))
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

/** Begins the conversations over the time that faults happen, and counts each of them as it ends. */
function holdAll(scripts: readonly Script[], { seconds }: ChaosOptions, context: ClientContext, ended: Held[]) {
  const lastWord = afterLastWord(context.signal)
  lastWord.catch(() => {})
  const hold = async (script: Script): Promise<Held> => {
    try {
      const held = await Promise.race([clients[script.way](script, context), lastWord])
      return { read: (end: AbortSignal) => held.read(end).catch((error: unknown) => failed(script, error)) }
    } catch (error) {
      return { read: async () => failed(script, error) }
    }
  }
  return Promise.all(
    scripts.map(async (script, index) => {
      await wait((seconds * 1_000 * 0.9 * index) / scripts.length)
      const held = await hold(script)
      ended.push(held)
      return held
    }),
  )
}

/** Rejects when the run was given up and a client does not end by itself, as one that waits for a stream. */
async function afterLastWord(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  await wait(lastWordMs, undefined, { ref: false })
  throw new Error('its client waits, and does not end when it is told to')
}

/** Reads all conversations, some at once. */
async function readAll(held: readonly Held[]): Promise<Transcript[]> {
  const transcripts: Transcript[] = []
  for (let start = 0; start < held.length; start += readAtOnce) {
    const some = held.slice(start, start + readAtOnce)
    transcripts.push(...(await Promise.all(some.map((each) => each.read(AbortSignal.timeout(readingMs))))))
  }
  return transcripts
}

function failed(script: Script, error: unknown): Transcript {
  return { ...script, answers: [], problems: [`it did not end: ${reasonOf(error)}`] }
}

function countsOf({ happened }: Faults): Record<FaultKind, number> {
  const count = (kind: FaultKind) => happened.filter((fault) => fault.kind === kind).length
  return { kill: count('kill'), freeze: count('freeze'), restart: count('restart') }
}
