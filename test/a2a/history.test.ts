import type { Message } from '@a2a-js/sdk'
import { describe, expect, test } from 'vitest'
import { collect, getTask, request, says, send, startAgent, stateOf, stockClient, ways } from './agent.ts'

type Part = Message['parts'][number]

function part(content: Part['content'], more: Partial<Part> = {}): Part {
  return { content, metadata: undefined, filename: '', mediaType: '', ...more }
}

const bytes = Buffer.from('hi')
const sent: readonly Part[] = [
  part({ $case: 'text', value: 'See these.' }),
  part({ $case: 'raw', value: bytes }, { filename: 'a.png', mediaType: 'image/png' }),
  part({ $case: 'url', value: 'https://x.example/b.png' }, { filename: 'b.png', mediaType: 'image/png' }),
  part({ $case: 'data', value: { url: 'https://x.example/c' } }),
]

const typed: readonly Part[] = [
  part({ $case: 'text', value: '# Hi' }, { mediaType: 'text/markdown', filename: 'note.md' }),
  part({ $case: 'text', value: 'plain' }, { metadata: { partType: 'message', mine: 1 } }),
  part({ $case: 'data', value: { a: 1 } }, { metadata: { partType: 'response' }, mediaType: 'application/json' }),
  part({ $case: 'data', value: { b: 2 } }, { metadata: { partType: 'domain-data', kind: 'x' } }),
]

const start = () => startAgent({ protocols: { a2a: { inputModes: ['text/*', 'image/*'] } } })

describe.each(ways)('the history, by %s', (way) => {
  // The Protocol Buffers of 0.3 have no name of a file, nor has the stock client that writes them.
  const hasNames = way !== 'HTTP+JSON 0.3'
  const had = sent.map((one) => (hasNames ? one : { ...one, filename: '' }))

  test('has parts as they were sent: bytes, links, media types and names', async () => {
    const { url } = await start()
    const client = await stockClient(url, way)
    const message = says('', { parts: [...sent] })
    const done = await send(client, message)
    expect(done.history.map(({ parts }) => parts)).toEqual([had])
    expect((await getTask(client, done.id)).history).toEqual(done.history)
    // The same message again is the same task, files included.
    expect((await send(client, message)).id).toBe(done.id)
    const [first] = await collect(client.sendMessageStream(request({ ...message, messageId: crypto.randomUUID() })))
    expect(first?.$case === 'task' && first.value.history.map(({ parts }) => parts)).toEqual([had])
  })
})

test('the history has the types and metadata that the caller gave, and no others', async () => {
  const { url } = await start()
  const client = await stockClient(url)
  const done = await send(client, says('', { parts: [...typed] }))
  expect(stateOf(done)).toBe('COMPLETED')
  expect(done.history.map(({ parts }) => parts)).toEqual([typed])
})
