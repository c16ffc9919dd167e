import { McpServer, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { RenewedHandler } from './renewed-handler.ts'

/** Servers of one tool, which answers when it is let. */
function world() {
  const waiting = new Map<string, () => void>()
  let servers = 0
  const handler = new RenewedHandler(
    () => {
      servers++
      const server = new McpServer({ name: 'test', version: '1.0.0' })
      server.registerTool('wait', { inputSchema: z.object({ for: z.string() }) }, async ({ for: what }, { mcpReq }) => {
        if (what !== 'nothing') {
          await new Promise<void>((resolve) => {
            waiting.set(what, resolve)
            mcpReq.signal.addEventListener('abort', () => resolve())
          })
        }
        return { content: [{ type: 'text', text: mcpReq.signal.aborted ? 'stopped' : what }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
  const call = async (what: string): Promise<string> => {
    const params = {
      name: 'wait',
      arguments: { for: what },
      _meta: {
        [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'wait',
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    return response.status === 200 ? response.text() : String(response.status)
  }
  const began = async (what: string) => {
    await expect.poll(() => waiting.has(what)).toBe(true)
  }
  return { handler, call, waiting, began, servers: () => servers }
}

test('answers all calls, also those that last while other handlers take over', async () => {
  const { call, waiting, began, servers } = world()
  const early = call('early')
  await began('early')
  for (let count = 0; count < 200; count++) expect(await call('nothing')).toContain('nothing')
  const late = call('late')
  await began('late')
  for (const go of waiting.values()) go()
  expect(await early).toContain('early')
  expect(await late).toContain('late')
  expect(servers()).toBe(202)
})

test('stops calls of earlier handlers too when it is closed', async () => {
  const { handler, call, began } = world()
  const early = call('early')
  await began('early')
  for (let count = 0; count < 100; count++) await call('nothing')
  const late = call('late')
  await began('late')
  await handler.close()
  expect(await early).not.toContain('early')
  expect(await late).not.toContain('late')
})
