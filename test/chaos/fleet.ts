import { freePort } from '../support/free-port.ts'
import { ServerProcess } from '../support/server-process.ts'
import { insist } from './insist.ts'

interface FleetOptions {
  readonly processes: number
  readonly folder: string
  readonly variables: (url: string) => Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** On a busy machine a start takes long; a process that cannot start ends by itself. */
const readyWithinMs = 120_000

/** The agent's processes over one store. */
export class Fleet implements AsyncDisposable {
  readonly servers: readonly ServerProcess[]
  readonly #signal: AbortSignal

  static async start(options: FleetOptions): Promise<Fleet> {
    const { processes, folder } = options
    const ports = await Promise.all(Array.from({ length: processes }, () => freePort()))
    const variables = options.variables(`http://127.0.0.1:${ports[0]}`)
    const program = 'test/chaos/chaos-program.ts'
    const servers = ports.map((port) => new ServerProcess({ program, port, folder, variables, readyWithinMs }))
    const fleet = new Fleet(servers, options.signal)
    try {
      // One after the other: on a busy machine each has its time to start.
      for (const server of servers) await server.start()
      return fleet
    } catch (error) {
      await fleet[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(servers: readonly ServerProcess[], signal: AbortSignal) {
    this.servers = servers
    this.#signal = signal
  }

  /** Ends a process as a crash does, and starts it again. */
  async crash(server: ServerProcess): Promise<void> {
    await server.kill9()
    // A process that starts while its database is away ends by itself.
    await insist(async () => {
      try {
        await server.start()
      } catch (error) {
        await server.kill9()
        throw error
      }
    }, this.#signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()))
  }
}
