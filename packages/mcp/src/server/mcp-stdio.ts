import type { Runtime } from '@cool-ai/beach-core'
import type { McpServer, Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Caller } from './caller.ts'
import { strictLines } from './strict-lines.ts'

export interface McpStdioOptions {
  readonly runtime: Runtime
  readonly caller: Caller
  readonly serverFor: (caller: Caller) => McpServer | Server
  /** Another pair of pipes than the process's own. */
  readonly transport?: Transport | undefined
}

/** A connection by pipes. */
export interface McpStdio {
  /** Resolves when the client has gone, or the connection was closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves one client on the process's own input and output; the process that started this one is the caller. */
export function mcpStdio({ runtime, caller, serverFor, transport }: McpStdioOptions): McpStdio {
  const pipes = transport ?? new StdioServerTransport(strictLines(process.stdin, (line) => process.stdout.write(line)))
  let ended = () => {}
  const closed = new Promise<void>((resolve) => (ended = resolve))
  const handle = serveStdio(() => serverFor(caller), {
    transport: watched(pipes, () => ended()),
    onerror: (error) => runtime.logger.log('debug', 'an MCP message was refused', { error }),
  })
  return {
    closed,
    async close() {
      await handle.close()
      ended()
    },
  }
}

/** The transport, which also tells when it has closed; the SDK takes `onclose` for itself. */
function watched(transport: Transport, onEnd: () => void): Transport {
  let onclose = transport.onclose
  Object.defineProperty(transport, 'onclose', {
    get: () => () => {
      onclose?.()
      onEnd()
    },
    set(next: () => void) {
      onclose = next
    },
  })
  return transport
}
