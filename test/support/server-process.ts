import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { demoToday } from './demo-today.ts'
import { freePort } from './free-port.ts'

export interface ServerOptions {
  /** The program, as a path from the root of the repository. */
  readonly program?: string
  /** Taken as it is and left where it is; without one the server has a folder of its own, removed in the end. */
  readonly folder?: string
  readonly port?: number
  readonly variables?: Readonly<Record<string, string>>
  /** How long it may take to start. */
  readonly readyWithinMs?: number
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const leash = new URL('end-with-parent.mjs', import.meta.url).href
const usuallyReadyMs = 30_000

/** Starts a server for one test; it is gone when the test has finished, however that went. */
export async function startServer(test: TestContext, options: ServerOptions = {}): Promise<ServerProcess> {
  const server = new ServerProcess({ ...options, port: options.port ?? (await freePort()) })
  test.onTestFinished(async ({ task }) => {
    await server[Symbol.asyncDispose]()
    if (task.result?.state === 'fail') console.error(`${task.name}: the server said\n${server.output}`)
  })
  await server.start()
  return server
}

/** A server as a user runs it, in a process of its own. Started again it has the same port and the same data. */
export class ServerProcess implements AsyncDisposable {
  readonly folder: string
  readonly port: number
  readonly url: string
  readonly #program: string
  readonly #variables: Readonly<Record<string, string>>
  readonly #removesFolder: boolean
  readonly #readyWithinMs: number
  #child: ChildProcess | undefined
  #output = ''

  constructor(options: ServerOptions & { readonly port: number }) {
    this.port = options.port
    this.url = `http://127.0.0.1:${options.port}`
    this.#program = options.program ?? 'examples/hello/start.mjs'
    this.#variables = options.variables ?? {}
    this.#readyWithinMs = options.readyWithinMs ?? usuallyReadyMs
    this.#removesFolder = options.folder === undefined
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'beach-test-'))
  }

  /** What all runs of this server have printed, for messages about failures. */
  get output(): string {
    return this.#output
  }

  get pid(): number {
    const pid = this.#child?.pid
    if (pid === undefined) throw new Error('The server does not run.')
    return pid
  }

  /** Starts the process and resolves when the server answers. */
  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error('The server runs already.')
    const child = spawn(process.execPath, ['--conditions=@cool-ai/source', '--import', leash, this.#program], {
      cwd: root,
      env: {
        ...environment(),
        DEMO_TODAY: demoToday,
        ...this.#variables,
        PORT: String(this.port),
        BEACH_DATA: this.folder,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stdin.on('error', () => {})
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    }
    await this.#ready(child)
    child.stdin.write('ready')
  }

  /** Ends the process as a crash would, at once, and resolves when it is gone. */
  async kill9(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Asks the process to end and resolves with its exit code when it has. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child !== undefined) await this.#end('SIGKILL')
    if (this.#removesFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (child === undefined) throw new Error('The server does not run.')
    if (!hasEnded(child)) {
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    }
    this.#child = undefined
    return child.exitCode
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = AbortSignal.timeout(this.#readyWithinMs)
    while (!(await this.#answers(deadline))) {
      if (hasEnded(child)) throw new Error(`The server ended instead of starting. It said:\n${this.#output}`)
      if (deadline.aborted) throw new Error(`The server was not ready in time. It said:\n${this.#output}`)
      await wait(20)
    }
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/healthz`, { signal })
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }
}

/** The environment without what the test runner has put into it. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, ...rest } = process.env
  return rest
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
