import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBeach, defineActor, openData, type Beach } from '@cool-ai/beach'
import type { Originator, Principal } from '@cool-ai/beach-core'
import type { BenchOptions } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

const principal: Principal = { kind: 'user', id: 'alice', tenant: 'default' }
const from: Originator = { id: 'sse:alice', transport: 'sse', deliveryClass: 'streaming', principal }
const words =
  'the hotel near harbour has a room with breakfast for two nights from friday on and costs ninety euro'.split(' ')

/** What turns, idempotency keys and large parts leave on disk. It prints its own lines: there is no bare side. */
export async function growthBench({ quick }: BenchOptions): Promise<void> {
  const turns = quick ? 20 : 500
  const keys = quick ? 300 : 3_000
  const parts = quick ? 2 : 20
  const small = await perTurn(turns, (n) => sentence(n, 20), 1)
  print(`growth: log, bytes a turn (${turns} turns of 20 words in, 40 out)`, small.log)
  print('growth: missives, bytes a turn', small.missives)
  print(`growth: snapshot of a session with ${keys} idempotency keys, bytes`, await snapshotBytes(keys))
  const large = await perTurn(parts, (n) => randomText(n, 250_000), parts)
  print('growth: disk for a part of 250 kB, bytes (log and missives)', large.log + large.missives)
  print('growth: of these, missives', large.missives)
}

function print(name: string, value: number): void {
  console.log(`${name.padEnd(76)} ${Math.round(value).toLocaleString('en')}`)
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
    return { log: (full.log - empty.log) / turns, missives: (full.missives - empty.missives) / turns }
  })
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
