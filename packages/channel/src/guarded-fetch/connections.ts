import { BeachError } from '@cool-ai/beach-core'
import type * as undici from 'undici'
import { reachedKinds } from './address-kind.ts'
import { checkedConnector, type ResolveHost, type TlsIdentity } from './checked-connector.ts'

type Undici = typeof undici

const maxAgents = 20

/**
 * The connections that requests go out on, kept for later ones. Those to allowed origins are apart from the others, and
 * so are those of each TLS identity: no connection serves a request that could not have opened it.
 */
export class Connections {
  readonly #resolve: ResolveHost | undefined
  readonly #agents = new Map<string, undici.Agent>()
  #undici: Promise<Undici> | undefined
  #isClosed = false

  constructor(resolve: ResolveHost | undefined) {
    this.#resolve = resolve
  }

  /** Sends a request on a connection that fits it. */
  async fetch(isAllowed: boolean, tls: TlsIdentity, ...[url, init]: Parameters<Undici['fetch']>) {
    // It takes a while to load. By now the platform's own client is loaded, since a request has its Headers: otherwise
    // this one would replace it for the whole process.
    this.#undici ??= import('undici')
    const client = await this.#undici
    if (this.#isClosed) throw new BeachError('UNREACHABLE', 'This fetch is closed. Make another one.')
    return client.fetch(url, { ...init, dispatcher: this.#agent(client, isAllowed, tls) })
  }

  /** Ends all connections, and the requests on them. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#agents.values()].map(async (agent) => agent.destroy()))
  }

  #agent({ Agent, buildConnector }: Undici, isAllowed: boolean, tls: TlsIdentity): undici.Agent {
    const key = JSON.stringify([isAllowed, tls.cert, tls.key, tls.passphrase, tls.ca])
    const existing = this.#agents.get(key)
    const kinds = reachedKinds(isAllowed)
    const resolve = this.#resolve === undefined ? {} : { resolve: this.#resolve }
    const connect = () => checkedConnector(buildConnector, { kinds, tls, ...resolve })
    // Timeouts are ours, by our clock.
    const agent = existing ?? new Agent({ connect: connect(), headersTimeout: 0, bodyTimeout: 0 })
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    this.#dropOldest()
    return agent
  }

  // Certificates are renewed, and a process may run for long.
  #dropOldest(): void {
    const [oldest] = this.#agents
    if (this.#agents.size <= maxAgents || oldest === undefined) return
    this.#agents.delete(oldest[0])
    void oldest[1].close()
  }
}
