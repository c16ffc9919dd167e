import type { Store } from '@cool-ai/beach-core'
import type { Figure, Round } from './measure.ts'

export const groupSize = 32

export interface AppendsOptions {
  /** What the figures begin with. */
  readonly name: string
  readonly store: Store
  /** Writes a group of events without the store, one for each session. */
  readonly insertGroup: (events: readonly AppendedEvent[]) => Promise<void>
  readonly goal: string
  readonly quick: boolean
}

interface AppendedEvent {
  readonly session: string
  readonly event: unknown
}

/** What a group of appends took. */
interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Appends of 32 sessions at once, against a loop of prepared inserts with the same grouping. */
export async function appendFigures({ name, store, insertGroup, goal, quick }: AppendsOptions): Promise<Figure[]> {
  const appendGroup = appender(store)
  const insert = inserter(insertGroup)
  await rounds(1, quick ? 5 : 300, appendGroup, insert)
  const costs = await rounds(quick ? 3 : 9, quick ? 10 : 150, appendGroup, insert)
  return [
    {
      name: `${name}: appends in groups of ${groupSize}`,
      unit: 'appends/s',
      rounds: costs.map(({ beach, bare }) => ({ beach: 1_000 / beach.wallMs, bare: 1_000 / bare.wallMs })),
      goal,
    },
    {
      name: `${name}: CPU of an append`,
      unit: 'µs',
      rounds: costs.map(({ beach, bare }) => ({ beach: beach.cpuMs * 1_000, bare: bare.cpuMs * 1_000 })),
    },
  ]
}

/** The cost per append. The sides take turns group by group, so that both meet the same weather on the disk. */
async function rounds(
  count: number,
  groups: number,
  appendGroup: () => Promise<void>,
  insertGroup: () => Promise<void>,
): Promise<Record<keyof Round, Cost>[]> {
  const results: Record<keyof Round, Cost>[] = []
  for (let round = 0; round < count; round++) {
    let beach = { wallMs: 0, cpuMs: 0 }
    let bare = { wallMs: 0, cpuMs: 0 }
    for (let group = 0; group < groups; group++) {
      beach = sum(beach, await cost(appendGroup))
      bare = sum(bare, await cost(insertGroup))
    }
    results.push({ beach: share(beach, groups * groupSize), bare: share(bare, groups * groupSize) })
  }
  return results
}

async function cost(run: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await run()
  const wallMs = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (user + system) / 1_000 }
}

function sum(one: Cost, other: Cost): Cost {
  return { wallMs: one.wallMs + other.wallMs, cpuMs: one.cpuMs + other.cpuMs }
}

function share({ wallMs, cpuMs }: Cost, among: number): Cost {
  return { wallMs: wallMs / among, cpuMs: cpuMs / among }
}

/** An event of about 500 bytes, of the kind that most of a log consists of. */
export function appendedEvent(n: number) {
  return {
    type: 'partReceived',
    id: `ev_${String(n).padStart(26, '0')}`,
    v: 1,
    at: 1_700_000_000_000 + n,
    epoch: 1,
    turnId: 'turn_aaaaaaaaaaaaaaaaaaaaaaaaaa',
    partId: 'turn_aaaaaaaaaaaaaaaaaaaaaaaaaa.0.0',
    partType: 'response',
    turnState: 'complete',
    payload: { part: { text: 'word '.repeat(40), metadata: { partType: 'response' } } },
  }
}

function sessionNames(): string[] {
  return Array.from({ length: groupSize }, (_, index) => `sess_${String(index).padStart(26, '0')}`)
}

/** 32 sessions append one event each, all at once. */
function appender(store: Store): () => Promise<void> {
  const sessions = sessionNames().map((session) => ({ session, head: 0 }))
  let n = 0
  return async () => {
    await Promise.all(
      sessions.map(async (entry) => {
        entry.head = await store.append(entry.session, entry.head, [appendedEvent(n++)])
      }),
    )
  }
}

/** The same 32 events in one transaction: no compare-and-set, no followers. */
function inserter(insertGroup: AppendsOptions['insertGroup']): () => Promise<void> {
  const sessions = sessionNames()
  let n = 0
  return () => insertGroup(sessions.map((session) => ({ session, event: appendedEvent(n++) })))
}
