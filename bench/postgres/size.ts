import { PostgresDatabase } from '@cool-ai/beach-core/postgres'
import { PostgresStore } from '@cool-ai/beach-session/postgres'
import { Client } from 'pg'
import { appendedEvent, groupSize } from '../appends.ts'
import { converse, talkAcross, type Talk } from '../client.ts'
import { interleave, type BenchOptions, type Figure } from '../measure.ts'
import { ServerProcess } from '../server-process.ts'
import type { DatabaseServer } from './database-server.ts'
import { storedSession, storeSessions } from './stored-sessions.ts'

const goal = '≤ 1.3'
const people = 8
const wanted = { deltas: 50, everyMs: 0 }
const never = new AbortController().signal

/** An agent's database with so many sessions. */
interface Filled {
  readonly url: string
  readonly count: number
  readonly head: number
}

/** What the same work costs when a million sessions are stored, against a thousand. */
export async function postgresSize(server: DatabaseServer, options: BenchOptions): Promise<Figure[]> {
  const many = await filled(server, 'many', options.quick ? 2_000 : 1_000_000)
  const few = await filled(server, 'few', 1_000)
  return [...(await storeFigures(many, few, options)), ...(await turnFigures(server, many, few, options))]
}

function nameOf(work: string, many: Filled): string {
  return `postgres: ${work} at ${many.count.toLocaleString('en')} sessions : at 1,000`
}

async function filled(server: DatabaseServer, name: string, count: number): Promise<Filled> {
  const url = await server.newDatabase(name)
  const agent = await ServerProcess.beach(url)
  // The first session of the database: how its text comes is measured elsewhere.
  await converse([await talkAcross(agent.url, agent.url)], 1, wanted)
  await agent.end('SIGTERM')
  const clients = await Promise.all([url, url].map((each) => connected(each)))
  try {
    return { url, count, head: await storeSessions(clients, count) }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}

/** The store's own work, on the same number of sessions of both, which lie all over the stored ones. */
async function storeFigures(many: Filled, few: Filled, { quick }: BenchOptions): Promise<Figure[]> {
  const [atMany, atFew] = [await Work.open(many), await Work.open(few)]
  const groups = quick ? 2 : 20
  const figures: Figure[] = []
  try {
    for (const name of ['append', 'claim', 'list', 'read'] as const) {
      const side = (work: Work) => () => msEach(groups, () => work[name]())
      const sides = [side(atMany), side(atFew)] as const
      for (const warmUp of sides) await warmUp()
      const rounds = await interleave(quick ? 2 : 7, ...sides)
      figures.push({ name: nameOf(titles[name], many), unit: 'ms', rounds, goal })
    }
    return figures
  } finally {
    await atMany.close()
    await atFew.close()
  }
}

const titles = {
  append: `${groupSize} appends`,
  claim: `${groupSize} wakes, claims and releases`,
  list: `${groupSize} lists of a person's sessions`,
  read: `${groupSize} reads of a session`,
}

async function msEach(groups: number, run: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  for (let group = 0; group < groups; group++) await run()
  return (performance.now() - begun) / groups
}

interface Sampled {
  readonly session: string
  readonly person: string
  head: number
}

/** Groups of work on a sample of the stored sessions. */
class Work {
  readonly #database: PostgresDatabase
  readonly #store: PostgresStore
  readonly #sample: readonly Sampled[]
  #next = 0

  private constructor(database: PostgresDatabase, store: PostgresStore, { count, head }: Filled) {
    this.#database = database
    this.#store = store
    this.#sample = Array.from({ length: 1_000 }, (_, index) => ({
      ...storedSession(1 + Math.floor((index * count) / 1_000)),
      head,
    }))
  }

  static async open(sessions: Filled): Promise<Work> {
    const database = await PostgresDatabase.open({ url: sessions.url, schema: 'beach_bench' })
    return new Work(database, await PostgresStore.open({ database }), sessions)
  }

  async append(): Promise<void> {
    await this.#each(async (entry) => {
      entry.head = await this.#store.append(entry.session, entry.head, [appendedEvent(entry.head)])
    })
  }

  async claim(): Promise<void> {
    const claims = Array.from({ length: groupSize }, () => this.#store.claim(10_000, never))
    await this.#each(({ session }) => this.#store.wake(session))
    for (const lease of await Promise.all(claims)) await lease?.release()
    await this.#database.idle()
  }

  async list(): Promise<void> {
    await this.#each(async ({ person }) => {
      const { length } = await this.#store.list(`session:default:anonymous~${person}:`, undefined, 51)
      if (length === 0) throw new Error(`${person} has no sessions.`)
    })
  }

  async read(): Promise<void> {
    await this.#each(async ({ session }) => {
      await this.#store.loadSnapshot(session)
      if ((await this.#store.read(session, 0)).length === 0) throw new Error(`${session} is empty.`)
    })
  }

  async close(): Promise<void> {
    await this.#store.close()
  }

  async #each(run: (entry: Sampled) => Promise<unknown>): Promise<void> {
    const start = this.#next % this.#sample.length
    this.#next += groupSize
    // The sample goes on at its start.
    const entries = [...this.#sample, ...this.#sample].slice(start, start + groupSize)
    await Promise.all(entries.map((entry) => run(entry)))
  }
}

/** Turns of an agent, one process on each database. */
async function turnFigures(
  server: DatabaseServer,
  many: Filled,
  few: Filled,
  { quick }: BenchOptions,
): Promise<Figure[]> {
  const agents = [await ServerProcess.beach(many.url), await ServerProcess.beach(few.url)] as const
  const turns = people * (quick ? 2 : 25)
  try {
    const [atMany, atFew] = await Promise.all(agents.map(({ url }) => talks(url)))
    const sides = [
      () => turnCost(server, agents[0], atMany ?? [], turns),
      () => turnCost(server, agents[1], atFew ?? [], turns),
    ] as const
    for (const warmUp of sides) await warmUp()
    const rounds = await interleave(quick ? 2 : 7, ...sides)
    return (['ms', 'cpuMs'] as const).map((of) => ({
      name: nameOf(of === 'ms' ? `a turn, ${people} at a time,` : 'CPU of a turn, agent and database,', many),
      unit: 'ms',
      rounds: rounds.map(({ beach, bare }) => ({ beach: beach[of], bare: bare[of] })),
      goal,
    }))
  } finally {
    await Promise.all(agents.map((agent) => agent.stop()))
  }
}

function talks(url: string): Promise<Talk[]> {
  return Promise.all(Array.from({ length: people }, () => talkAcross(url, url)))
}

async function turnCost(server: DatabaseServer, agent: ServerProcess, all: readonly Talk[], turns: number) {
  const before = { agent: await agent.cpuMs(), database: server.cpuMs(), at: performance.now() }
  await converse(all, turns, wanted)
  const ms = ((performance.now() - before.at) * people) / turns
  const cpuMs = (await agent.cpuMs()) - before.agent + server.cpuMs() - before.database
  return { ms, cpuMs: cpuMs / turns }
}
