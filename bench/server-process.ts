import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Our packages from their sources, or as they are published, which they must have been built for. */
export type OwnPackages = 'sources' | 'published'

/** A server in a process of its own, so that its CPU can be told apart from the client's. */
export class ServerProcess {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  /** A trivial agent; `data` is a folder or the address of a PostgreSQL database. */
  static beach(data: string, { leaseMs = 10_000, stopGraceMs = 25_000, keys = '' } = {}): Promise<ServerProcess> {
    const args = [data, String(leaseMs), String(stopGraceMs)]
    return ServerProcess.#start(new URL('server/beach-server.ts', import.meta.url), args, {
      BEACH_ENCRYPTION_KEYS: keys,
    })
  }

  static bare(): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/bare-server.ts', import.meta.url), [])
  }

  /** An agent that speaks A2A; text is gathered for so long before it is sent. */
  static a2aBeach(folder: string, gatherMs: number, store = 'sqlite'): Promise<ServerProcess> {
    const args = [folder, String(gatherMs), store]
    return ServerProcess.#start(new URL('server/a2a-beach-server.ts', import.meta.url), args)
  }

  /** The same agent on the stock SDK's own server, with its store in memory. */
  static a2aStock(): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/a2a-stock-server.ts', import.meta.url), [])
  }

  /** A trivial agent behind MCP, on a store of this kind. */
  static mcpBeach(store: string, folder: string): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/mcp-beach-server.ts', import.meta.url), [store, folder])
  }

  /** The SDK's server with one tool, which always returns this result. */
  static mcpBare(result: unknown): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/mcp-bare-server.ts', import.meta.url), [JSON.stringify(result)])
  }

  /** An agent with flows. */
  static flowsBeach(folder: string): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/flows-beach-server.ts', import.meta.url), [folder])
  }

  /** A bare store behind the same HTTP host. */
  static flowsBare(folder: string): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/flows-bare-server.ts', import.meta.url), [folder])
  }

  /** An agent that many can watch. */
  static viewersBeach(folder: string): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/viewers-beach-server.ts', import.meta.url), [folder])
  }

  /** A bare server that many can watch. */
  static viewersBare(): Promise<ServerProcess> {
    return ServerProcess.#start(new URL('server/viewers-bare-server.ts', import.meta.url), [])
  }

  /** A server that a comparison of frameworks names itself; all of them run as they would in production. */
  static of(script: URL, args: readonly string[] = [], packages: OwnPackages = 'sources'): Promise<ServerProcess> {
    const variables = {
      NODE_ENV: 'production',
      // None of them reports to its maker.
      COPILOTKIT_TELEMETRY_DISABLED: 'true',
      MASTRA_TELEMETRY_DISABLED: 'true',
      DO_NOT_TRACK: '1',
    }
    return ServerProcess.#start(script, args, variables, packages)
  }

  static async #start(
    script: URL,
    args: readonly string[],
    variables: NodeJS.ProcessEnv = {},
    packages: OwnPackages = 'sources',
  ): Promise<ServerProcess> {
    const conditions = packages === 'sources' ? ['--conditions=@cool-ai/source'] : []
    const execArgv = [...conditions, '--expose-gc']
    const child = fork(fileURLToPath(script), args, { execArgv, env: { ...process.env, ...variables } })
    const { url } = await reply<{ url: string }>(child)
    return new ServerProcess(child, url)
  }

  /** Milliseconds of CPU that the process has used so far. */
  async cpuMs(): Promise<number> {
    this.#child.send('cpu')
    const { cpu } = await reply<{ cpu: NodeJS.CpuUsage }>(this.#child)
    return (cpu.user + cpu.system) / 1_000
  }

  /** Megabytes that the system has given to the process, with what is not needed any more. */
  async residentMb(): Promise<number> {
    this.#child.send('cpu')
    const { resident } = await reply<{ resident: number }>(this.#child)
    return resident / 1_000_000
  }

  /** Megabytes that are in use once everything unneeded is gone. */
  async heapMb(): Promise<number> {
    this.#child.send('heap')
    const { heap } = await reply<{ heap: number }>(this.#child)
    return heap / 1_000_000
  }

  /** Kilobytes of memory that the system has given to the process, once everything unneeded is gone. */
  async residentKb(): Promise<number> {
    this.#child.send('heap')
    const { resident } = await reply<{ resident: number }>(this.#child)
    return resident / 1_000
  }

  /** Ends the process by a signal: `SIGTERM` in order, `SIGKILL` as a crash does. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }

  async stop(): Promise<void> {
    if (!this.#child.connected) return
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}

function reply<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`A server under measurement ended with code ${code}.`))
    child.once('exit', failed)
    child.once('message', (message) => {
      child.off('exit', failed)
      resolve(message as Message)
    })
  })
}
