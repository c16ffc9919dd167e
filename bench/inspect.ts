import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createBeach } from '@cool-ai/beach'
import { systemClock, systemRuntime } from '@cool-ai/beach-core'
import { defineActor } from '@cool-ai/beach-session'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { SessionIndex } from '../packages/inspect/src/listing/session-index.ts'
import type { SessionRow } from '../packages/inspect/src/listing/session-row.ts'
import type { BenchOptions } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

const principal = { kind: 'user', id: 'anna', tenant: 'default' } as const
const token = 'inspect-bench-inspect-bench-inspect-bench'
const day = 24 * 60 * 60 * 1_000

/** How long an operator waits for a session of many events and for a list of many sessions; it prints its own lines. */
export function inspectBench({ quick }: BenchOptions): Promise<void> {
  return withScratchFolder((folder) => measureIn(folder, quick))
}

async function measureIn(folder: string, quick: boolean): Promise<void> {
  const events = quick ? 1_000 : 100_000
  const rows = quick ? 1_000 : 1_000_000
  const store = await SqliteStore.open({ path: join(folder, 'sessions.sqlite') })
  await fillSession(store, 'sess_long', events)
  await fillIndex(store, rows)
  const beach = await createBeach({
    agent: { id: 'bench', name: 'Bench' },
    data: { store, secret: new Uint8Array(32) },
    actors: { bench: defineActor(async () => {}) },
    inspect: { operators: { bench: token } },
  })
  let slowest = 0
  const ask = async (what: string, path: string) => {
    const blocked = watchLoop()
    const began = performance.now()
    const request = new Request(`http://127.0.0.1/inspect/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const response = await beach.fetch(request)
    const text = await response.text()
    const ms = performance.now() - began
    const held = blocked()
    slowest = Math.max(slowest, held)
    console.log(
      `${what.padEnd(58)} ${ms.toFixed(0).padStart(6)} ms   loop held for ${held.toFixed(0)} ms of CPU   ${text.length} characters`,
    )
    return JSON.parse(text) as Record<string, unknown>
  }
  console.log(`A session of ${events} events, ${rows} sessions, SQLite`)
  const detail = await ask('first look at the session (its row is made)', 'sessions/sess_long')
  await ask('second look', 'sessions/sess_long')
  await ask('events from the middle', `sessions/sess_long/events?at=${events / 2}&limit=100`)
  await ask('the last turns', 'sessions/sess_long/turns')
  await ask('the fold at the end, for the first time', `sessions/sess_long/events/${String(detail.head)}`)
  await ask('the fold one event earlier', `sessions/sess_long/events/${Number(detail.head) - 1}`)
  await ask('the first page of sessions', 'sessions?limit=100')
  await ask('sessions of one state', 'sessions?state=error&limit=100')
  await ask('sessions of one person', 'sessions?principal=user~person-7&limit=100')
  await ask('sessions of a day in the middle', `sessions?to=${Date.now() - 2 * day}&limit=100`)
  await ask('words that are in no title (2,000 rows are looked at)', 'sessions?q=zebra&limit=100')
  console.log(`The event loop was held for ${slowest.toFixed(0)} ms of CPU at most.`)
  await beach.close()
}

/** A log of turns of ten events each. */
async function fillSession(store: SqliteStore, session: string, events: number): Promise<void> {
  const runtime = systemRuntime()
  const stamp = <Draft extends object>(draft: Draft) => ({
    ...draft,
    id: runtime.id('ev'),
    v: 1,
    at: runtime.clock.now(),
  })
  const from = { id: 'web', transport: 'sse', deliveryClass: 'streaming', principal }
  await store.bind(`session:default:user~anna:1:${session}`, session)
  let head = await store.append(session, 0, [
    stamp({ type: 'sessionOpened', tenant: 'default', payload: { owner: principal } }),
  ])
  for (let turn = 0; turn * 10 < events; turn++) {
    const turnId = `turn_${turn}`
    const text = `message ${turn} with some more words, as people write them`
    const parts = [{ text, metadata: { partType: 'message' } }]
    const answer = { text: `An answer to it. ${'word '.repeat(30)}`, metadata: { partType: 'response' } }
    const step = [0, 1].flatMap((number) => [
      stamp({
        type: 'stepCommitted',
        turnId,
        step: number,
        hash: 'h',
        partIds: [`${turnId}.${number}.0`],
        payload: { answer: { content: [] } },
      }),
      stamp({
        type: 'actorNoted',
        turnId,
        kind: 'usage',
        payload: { value: { model: 'm', inputTokens: 900, outputTokens: 80 } },
      }),
      stamp({
        type: 'partReceived',
        turnId,
        partId: `${turnId}.${number}.0`,
        partType: 'response',
        turnState: 'awaiting',
        payload: { part: answer },
      }),
    ])
    head = await store.append(session, head, [
      stamp({
        type: 'messageReceived',
        messageId: `m${turn}`,
        originatorId: 'web',
        contentHash: 'c',
        payload: { from, parts },
      }),
      stamp({ type: 'turnStarted', turnId, actor: 'bench', messageIds: [`m${turn}`], epoch: turn + 1 }),
      ...step,
      stamp({ type: 'turnStateChanged', turnId, step: 1, turnState: 'complete' }),
      stamp({ type: 'turnSettled', turnId, turnState: 'complete', finalizedBy: 'complete' }),
    ])
  }
}

/** Rows of sessions as the inspector keeps them. */
async function fillIndex(store: SqliteStore, rows: number): Promise<void> {
  const index = new SessionIndex(store, systemClock)
  const now = Date.now()
  const states = ['complete', 'complete', 'complete', 'suspended', 'error']
  for (let first = 0; first < rows; first += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, offset) => {
        const n = first + offset
        const row: SessionRow = {
          sessionId: `sess_row${n}`,
          tenant: 'default',
          openedAt: now - n * 3_000,
          lastAt: now - n * 3_000,
          seq: n,
          events: 20,
          marks: [1],
          turnMarks: [2],
          turns: 2,
          messages: 2,
          errors: 0,
          tokens: 2_000,
          cost: 0.01,
          state: states[n % states.length] ?? 'complete',
          owner: { kind: 'user', id: `person-${n % 1_000}` },
          channels: ['sse'],
          title: `What does number ${n} cost?`,
          pendingApprovals: [],
          deadLetters: 0,
        }
        return index.put(row, undefined)
      }),
    )
  }
  await store.bind('inspect:swept', 'done')
}

/** The most CPU time, in milliseconds, between two turns of the event loop. By the clock, what else the machine does would count. */
function watchLoop(): () => number {
  let longest = 0
  let last = cpuMs()
  const note = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(note, 5)
  return () => {
    clearInterval(timer)
    note()
    return longest
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
