import { text } from 'node:stream/consumers'
import { call as send } from './http.ts'
import { interleave, type BenchOptions, type Figure } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'
import { ServerProcess } from './server-process.ts'

const goal = '≤ 1.25'

/** The server's CPU for a call of a trivial agent by MCP, against a bare SDK tool that returns the same bytes. */
export function mcpBench({ quick }: BenchOptions): Promise<Figure[]> {
  return withScratchFolder(async (folder) => {
    const figures: Figure[] = []
    for (const store of ['memory', 'sqlite']) {
      const beach = await ServerProcess.mcpBeach(store, folder)
      const first = await call(beach.url)
      const bare = await ServerProcess.mcpBare(first)
      try {
        const calls = quick ? 16 : 1_600
        // A server that runs for long is compared, not one that V8 still compiles.
        const before = quick ? calls : 6_000
        await Promise.all([run(beach, before), run(bare, before)])
        const rounds = await interleave(
          quick ? 2 : 15,
          () => cpuPerCall(beach, calls),
          () => cpuPerCall(bare, calls),
        )
        figures.push({ name: `mcp: CPU of a call (${store})`, unit: 'ms', rounds, goal })
        if (store === 'sqlite') figures.push(await memory(beach, quick ? 100 : 20_000))
      } finally {
        await Promise.all([beach.stop(), bare.stop()])
      }
    }
    return figures
  })
}

/** What is in use after many calls, against what was before them. */
async function memory(server: ServerProcess, calls: number): Promise<Figure> {
  const before = await server.heapMb()
  await run(server, calls)
  const rounds = [{ beach: await server.heapMb(), bare: before }]
  return { name: `mcp: heap after ${calls} calls, against before`, unit: 'MB', rounds, goal: '≈ 1' }
}

async function cpuPerCall(server: ServerProcess, calls: number): Promise<number> {
  const before = await server.cpuMs()
  await run(server, calls)
  return ((await server.cpuMs()) - before) / calls
}

const concurrency = 8

/** Several callers at the same time, each one call after another, and each call a conversation. */
async function run({ url }: ServerProcess, calls: number): Promise<void> {
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let count = 0; count < calls / concurrency; count++) await call(url)
    }),
  )
}

let id = 0

/** A call as a client of revision 2026-07-28 makes it. */
async function call(url: string): Promise<unknown> {
  const name = 'ask_bench'
  const body = {
    jsonrpc: '2.0',
    id: ++id,
    method: 'tools/call',
    params: {
      name,
      arguments: { message: 'hello' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  const answer = await text(await send(url, { headers, body }))
  const { result } = JSON.parse(answer) as { result?: { isError?: boolean } }
  if (result === undefined || result.isError === true) throw new Error(`A call was not answered: ${answer}`)
  return result
}
