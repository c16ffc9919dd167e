import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { PostgresServer } from '../../test/support/postgres-server.ts'

// As an operator would have it: every commit is on disk before it is acknowledged.
const settings = {
  max_connections: '200',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  maintenance_work_mem: '256MB',
}
const tickMs = 10

/** A PostgreSQL server under measurement. */
export class DatabaseServer implements AsyncDisposable {
  readonly #server: PostgresServer

  private constructor(server: PostgresServer) {
    this.#server = server
  }

  static async start(): Promise<DatabaseServer> {
    return new DatabaseServer(await PostgresServer.start(settings))
  }

  /** The address of a new database. */
  async newDatabase(name: string): Promise<string> {
    await withClient(this.#server.url(), (client) => client.query(`CREATE DATABASE ${name}`))
    return this.#server.url(name)
  }

  /** Milliseconds of CPU that all its processes have used so far; known on Linux only. */
  cpuMs(): number {
    const { pid } = this.#server
    const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processTimes(name) : []))
    const own = all.filter((each) => each.pid === pid || each.parent === pid)
    // The time of processes that have ended is their parent's.
    return own.reduce((sum, each) => sum + each.ms + (each.pid === pid ? each.childrenMs : 0), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }
}

interface ProcessTimes {
  readonly pid: number
  readonly parent: number
  readonly ms: number
  readonly childrenMs: number
}

/** The times of a process, none when it has just ended: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. */
function processTimes(name: string): ProcessTimes[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const ticks = (index: number) => (fields[index] ?? 0) * tickMs
    return [{ pid: Number(name), parent, ms: ticks(11) + ticks(12), childrenMs: ticks(13) + ticks(14) }]
  } catch {
    return []
  }
}

/** A connection for the time of `use`. */
export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
