import { Transform, type Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { parseJson } from '@cool-ai/beach-channel/http'
import { isBeachError, type Runtime } from '@cool-ai/beach-core'
import type { McpServer, Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Caller } from './caller.ts'

/** Who is served on the process's input and output. */
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

const maxDepth = 100
const parseError = -32_700

/** The messages of a pipe, each a line, without those that are refused as bodies are: `answer` gets what to say of them. */
export function strictLines(input: Readable, answer: (line: string) => void): Readable {
  const decoder = new StringDecoder('utf8')
  const pieces: string[] = []
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      const [first = '', ...more] = decoder.write(chunk).split('\n')
      pieces.push(first)
      for (const next of more) {
        pass(pieces.splice(0).join(''))
        pieces.push(next)
      }
      done()
    },
  })
  const pass = (line: string) => {
    const problem = problemOf(line)
    if (problem === undefined) lines.push(`${line}\n`)
    else answer(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: parseError, message: problem } })}\n`)
  }
  return input.pipe(lines)
}

function problemOf(line: string): string | undefined {
  if (line.trim() === '') return undefined
  try {
    parseJson(line, maxDepth)
    return undefined
  } catch (error) {
    if (isBeachError(error)) return error.message
    throw error
  }
}
