import { BeachError, type Clock } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { StreamableHTTPClientTransport, type ReconnectionScheduler, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** A server that is reached by Streamable HTTP. */
export interface RemoteServer {
  readonly url: string
  /** How it is asked: where credentials and limits belong. The platform's when left out. */
  readonly fetch?: (input: string | URL, init?: RequestInit) => Promise<Response>
}

/** A server that is started here and spoken to on pipes. */
export interface LocalServer {
  readonly command: string
  readonly args?: readonly string[]
  /** All that it gets of the environment, besides what every program needs to run (PATH, HOME and the like). */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type ServerAddress = RemoteServer | LocalServer

// A message that is larger ends the connection.
const maxBytes = 4 * 1_024 * 1_024

/** A new connection to the server, not yet made. */
export function transportTo(address: ServerAddress, clock: Clock): Transport {
  if ('command' in address) {
    const { command, args = [], env, cwd } = address
    const server = defined({ command, args: [...args], env: env && { ...env }, cwd })
    return new StdioClientTransport({ ...server, stderr: 'ignore', maxBufferSize: maxBytes })
  }
  const { url, fetch } = address
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BeachError('INVALID_CONFIGURATION', `'${url}' is not the http(s) URL of an MCP server.`)
  }
  const reconnectionScheduler = reconnectionOn(clock)
  return new StreamableHTTPClientTransport(new URL(url), { reconnectionScheduler, ...defined({ fetch }) })
}

const minMs = 1_000

/** Takes up streams that have ended when the server wants it, but not sooner than it is good for both sides. */
export function reconnectionOn(clock: Clock): ReconnectionScheduler {
  return (reconnect, delayMs) => clock.timer(Math.max(delayMs, minMs), reconnect)
}
