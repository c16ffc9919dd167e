import { Client } from 'pg'
import { converse, talkAcross } from '../client.ts'
import type { BenchOptions } from '../measure.ts'
import { ServerProcess } from '../server-process.ts'
import { withClient, type DatabaseServer } from './database-server.ts'

const wanted = { deltas: 50, everyMs: 0 }
const senders = 4

/** What an agent on PostgreSQL takes, for planning. It prints its own lines: there is no other side. */
export async function postgresSizing(server: DatabaseServer, { quick }: BenchOptions): Promise<void> {
  const people = quick ? 8 : 32
  const turns = people * (quick ? 2 : 40)
  const url = await server.newDatabase('sizing')
  const agent = await ServerProcess.beach(url)
  try {
    const talks = await Promise.all(Array.from({ length: people }, () => talkAcross(agent.url, agent.url)))
    await withClient(url, async (client) => {
      await converse(talks, turns, wanted)
      const before = await usage(client)
      await converse(talks, turns, wanted)
      const after = await usage(client)
      const each = (of: keyof Usage) => (after[of] - before[of]) / turns
      print('memory of an agent process, MB', (await agent.residentKb()) / 1_000)
      print('connections of an agent process', after.connections)
      print('of a turn with an answer of 50 words: bytes in the tables', each('bytes'))
      print('of a turn: bytes of the write-ahead log', each('wal'))
      print('of a turn: transactions', each('transactions'))
    })
  } finally {
    await agent.stop()
  }
  print(`notifications a second of the server, ${senders} connections`, await notifications(url, quick ? 200 : 5_000))
}

function print(name: string, value: number): void {
  console.log(`postgres: ${name}`.padEnd(84) + Number(value.toPrecision(3)).toLocaleString('en'))
}

interface Usage {
  readonly bytes: number
  readonly wal: number
  readonly transactions: number
  readonly connections: number
}

async function usage(client: Client): Promise<Usage> {
  const { rows } = await client.query(
    `SELECT pg_database_size(datname)::float8 AS bytes, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
       xact_commit::float8 AS transactions, (numbackends - 1)::float8 AS connections
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  return rows[0] as Usage
}

/** All notifications of a server pass through one lock, also those of other databases. */
async function notifications(url: string, count: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: senders }, async () => {
      const client = new Client(url)
      await client.connect()
      await client.query('SET synchronous_commit = off')
      return client
    }),
  )
  await clients[0]?.query('LISTEN bench')
  const begun = performance.now()
  const send = async (client: Client) => {
    for (let n = 0; n < count; n++) await client.query({ name: 'notify', text: `SELECT pg_notify('bench', 'word')` })
  }
  await Promise.all(clients.map(send))
  const seconds = (performance.now() - begun) / 1_000
  await Promise.all(clients.map((client) => client.end()))
  return (count * senders) / seconds
}
