import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, onTestFinished, test } from 'vitest'
import { boundedFetch } from './create-model.ts'
import { streamParts } from './model.ts'
import { EndlessMessage } from './stream-limits.ts'

test('an answer that is one line without an end is broken off before it fills the memory', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"delta":{"content":"')
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const model = createOpenAICompatible({ name: 'flood', baseURL, fetch: boundedFetch(undefined, 100_000) })('m')
  const read = async () => {
    for await (const part of streamParts(model, { prompt: [] })) expect(part.type).not.toBe('finish')
  }
  await expect(read()).rejects.toBeInstanceOf(EndlessMessage)
})
