import { onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ServerProcess } from '../support/server-process.ts'

export interface FleetOptions {
  readonly store: string
  readonly gate: string
  readonly variables?: Readonly<Record<string, string>>
}

/** Processes of one agent on one database; clients may use any of them for anything. */
export async function startFleet(count: number, { store, gate, variables = {} }: FleetOptions) {
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const PUBLIC_URL = `http://127.0.0.1:${ports[0]}`
  const shared = { STORE: store, GATE: gate, PUBLIC_URL, BEACH_SECRET: 'replicas-share-this-secret-of-32-bytes' }
  const servers = ports.map(
    (port) =>
      new ServerProcess({ program: 'test/replicas/replica-program.ts', port, variables: { ...shared, ...variables } }),
  )
  const end = async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
  }
  try {
    // One after the other: on a busy machine each has its time to start.
    for (const server of servers) await server.start()
  } catch (error) {
    await end()
    throw error
  }
  return { servers, end, output: () => servers.map(({ output }) => output).join('\n') }
}

/** The same for one test. */
export async function fleetForTest(count: number, options: FleetOptions): Promise<readonly ServerProcess[]> {
  const { servers, end, output } = await startFleet(count, options)
  onTestFinished(async ({ task }) => {
    await end()
    if (task.result?.state === 'fail') console.error(`${task.name}: the processes said\n${output()}`)
  })
  return servers
}

/** A `fetch` that goes to this process, whichever the address names: as a load balancer without sticky sessions does. */
export function fetchAt({ port }: { readonly port: number }): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    url.port = String(port)
    return input instanceof Request ? fetch(new Request(url, input), init) : fetch(url, init)
  }
}
