import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBeach, defineActor, openData, type Beach } from '@cool-ai/beach'
import type { Originator, Principal } from '@cool-ai/beach-core'
import { deltasOfAnswer, turnsOfSession, withGrowingServer } from './growth/long-turns.ts'
import { storedSessions } from './growth/stored-sessions.ts'
import type { BenchOptions } from './measure.ts'
import { machineNow, writeFigures, type GrowthLine } from './performance/figures.ts'
import { writePage } from './performance/page.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { viewersBench } from './viewers.ts'

const principal: Principal = { kind: 'user', id: 'alice', tenant: 'default' }
const from: Originator = { id: 'sse:alice', transport: 'sse', deliveryClass: 'streaming', principal }
const words =
  'the hotel near harbour has a room with breakfast for two nights from friday on and costs ninety euro'.split(' ')

/** How costs grow with turns, deltas and stored sessions, and what is left on disk. It prints its own lines. */
export async function growthBench({ quick }: BenchOptions): Promise<void> {
  const machine = machineNow()
  const lines = [
    ...(await withGrowingServer(async (server) => [
      await turnsOfSession(server, quick ? [0, 6] : [0, 500, 1_000, 1_750], quick ? 1 : 50),
      await deltasOfAnswer(server, quick ? [5, 10] : [50, 500, 5_000], quick ? 10 : 20_000),
    ])),
    ...(await storedSessions(quick ? 10 : 1_000, quick ? 30 : 1_000_000, quick ? 1 : 9)),
    ...(quick ? [] : await idleViewers()),
    ...(await sizesOnDisk(quick)),
  ]
  for (const { name, unit, at } of lines) {
    const values = at.map(({ where, value }) => `${value.toPrecision(4)} ${unit}${where === '' ? '' : ` (${where})`}`)
    console.log(`growth: ${name}: ${values.join(', ')}`)
  }
  if (!quick) writePage(writeFigures({ growth: { machine: machine(), lines } }))
}

/** What each of ten thousand idle viewers costs in memory. */
async function idleViewers(): Promise<GrowthLine[]> {
  const figures = await viewersBench({ quick: false })
  return figures.map(({ name, unit, rounds }) =>
    size(`memory of an idle viewer: ${name.replace('viewers: memory of ', '')}`, unit, rounds[0]?.beach, '≤ 25 kB'),
  )
}

/** What turns, idempotency keys and large parts leave on disk. */
async function sizesOnDisk(quick: boolean): Promise<GrowthLine[]> {
  const turns = quick ? 20 : 500
  const keys = quick ? 30 : 3_000
  const parts = quick ? 2 : 20
  const small = await perTurn(turns, (n) => sentence(n, 20), 1)
  const large = await perTurn(parts, (n) => randomText(n, 250_000), parts)
  return [
    size('log, of a turn of 20 words in and 40 out', 'bytes', small.log),
    size('log, of the same turn after `VACUUM`', 'bytes', small.vacuumed),
    size('missives, of the same turn', 'bytes', small.missives),
    size(
      `snapshot of a session with ${keys.toLocaleString('en')} idempotency keys`,
      'bytes',
      await snapshotBytes(keys),
    ),
    size('log and missives, of a part of 250 kB', 'bytes', large.log + large.missives),
    size('of these, missives', 'bytes', large.missives),
  ]
}

function size(name: string, unit: string, value = Number.NaN, goal?: string): GrowthLine {
  return { name, unit, at: [{ where: '', value }], ...(goal !== undefined && { goal }) }
}

/** The bytes that a turn leaves in the two files, beyond what empty ones have. */
function perTurn(turns: number, textOf: (n: number) => string, sessions: number) {
  return withScratchFolder(async (folder) => {
    const empty = await withBeach(folder, async () => {}).then(() => sizes(folder))
    await withBeach(folder, async (beach) => {
      const ids = await Promise.all(Array.from({ length: sessions }, () => beach.sessions.open({ principal })))
      for (let n = 0; n < turns; n++) await say(beach, ids[n % sessions] ?? '', textOf(n))
      await beach.missives?.caughtUp()
    })
    const full = sizes(folder)
    vacuum(folder)
    return {
      log: (full.log - empty.log) / turns,
      vacuumed: (sizes(folder).log - empty.log) / turns,
      missives: (full.missives - empty.missives) / turns,
    }
  })
}

/** Gives back to the disk what the log's file does not need. */
function vacuum(folder: string): void {
  const db = new DatabaseSync(join(folder, 'beach.db'))
  db.exec('VACUUM')
  db.close()
}

function snapshotBytes(keys: number): Promise<number> {
  return withScratchFolder(async (folder) => {
    await withBeach(folder, async (beach) => {
      const session = await beach.sessions.open({ principal })
      for (let n = 0; n < keys; n++) await say(beach, session, 'hi', crypto.randomUUID())
    })
    const db = new DatabaseSync(join(folder, 'beach.db'))
    const row = db.prepare('SELECT max(length(state)) AS bytes FROM snapshot').get()
    db.close()
    return Number(row?.bytes)
  })
}

async function withBeach(folder: string, use: (beach: Beach) => Promise<void>): Promise<void> {
  const actor = defineActor(({ text, respond }) =>
    respond({ parts: [{ partType: 'response', text: sentence(text.length, 40) }], turnState: 'complete' }),
  )
  const data = await openData({ folder })
  const beach = await createBeach({ agent: { id: 'bench', name: 'Bench' }, actors: { actor }, data })
  try {
    await use(beach)
  } finally {
    await beach.close()
  }
}

async function say(beach: Beach, session: string, text: string, dedupeKey?: string): Promise<void> {
  const inbound = { parts: [{ text, metadata: { partType: 'message' } }], from, ...(dedupeKey && { dedupeKey }) }
  const { seq } = await beach.sessions.post(session, inbound, principal)
  const end = new AbortController()
  for await (const frame of beach.sessions.follow(session, from, String(seq), end.signal)) {
    if (frame.kind === 'settled') break
  }
  end.abort()
}

/** The last process to close a file copies its journal into it. */
function sizes(folder: string) {
  return { log: statSync(join(folder, 'beach.db')).size, missives: statSync(join(folder, 'missives.db')).size }
}

function sentence(seed: number, count: number): string {
  return Array.from({ length: count }, (_, n) => words[(seed * 7 + n * (1 + (seed % 5))) % words.length]).join(' ')
}

/** Words that no compression makes much smaller. */
function randomText(seed: number, length: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += `${state.toString(36)} `
  }
  return text.slice(0, length)
}
