import type { ActorContext } from '@cool-ai/beach'
import type { Envelope } from '@cool-ai/beach-core'
import { standardWebhooks, type Hooks } from '@cool-ai/beach-hooks'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { describe, expect, test } from 'vitest'
import { fetchTo, post, runtime, settled, startAgent, startReceiver, textParts, whsec } from './webhook-context.ts'

// Document 000, "Delivery rules per transport class": artifact, buffered — bytes as an attachment.

const verify = standardWebhooks({ secrets: [whsec(1)] })
const kb = 1024
const publicUrl = 'https://agent.example'

/** Answers with files of these sizes; a text is the URL of one that is elsewhere. */
function filing(...sizes: readonly (number | string)[]) {
  const artifacts = new MemoryArtifactStore({ runtime })
  const actor = async ({ respond, tool }: ActorContext) => {
    const made = await tool({ name: 'files', args: {} }, async () => {
      const about = { name: 'ticket.txt', mimeType: 'text/plain', tenant: 'default' }
      return Promise.all(
        sizes.map(async (size) => {
          if (typeof size === 'string') return { url: size }
          const { artifactId, mimeType, sizeBytes, name } = await artifacts.put(Buffer.alloc(size, 'x'), about)
          return { artifactId, mimeType, sizeBytes, name }
        }),
      )
    })
    const files = made.outcome === 'ok' ? made.value : []
    await respond({ parts: files.map((data) => ({ partType: 'artifact' as const, data })), turnState: 'complete' })
  }
  return { actor, beach: { data: { artifacts }, publicUrl, access: { hosts: ['agent.example'] } } }
}

interface FileData {
  readonly bytes?: string
  readonly url?: string
}

function filesIn(envelope: Envelope): (number | undefined)[] {
  const files = envelope.parts.map(({ data }) => data as FileData)
  expect(files.every(({ url }) => url?.startsWith('https://'))).toBe(true)
  return files.map(({ bytes }) => (bytes === undefined ? undefined : Buffer.from(bytes, 'base64').length))
}

const hooks: Hooks = { notes: { verify, parts: textParts } }

describe('a file in the envelope of a webhook', () => {
  test.each([
    ['has its bytes next to its link', [100], [100]],
    ['has them up to 256 kB', [256 * kb], [256 * kb]],
    ['is linked beyond that', [256 * kb + 1], [undefined]],
    ['counts with the others', [200 * kb, 100 * kb, 10], [200 * kb, undefined, 10]],
    ['that is elsewhere keeps its URL', ['https://files.example/a.pdf'], [undefined]],
  ])('%s', async (_, sizes, bytes) => {
    const { url } = await startAgent({ hooks, ...filing(...sizes) })
    const response = await post(`${url}/webhooks/notes`, { text: 'files' })
    expect(filesIn((await response.json()) as Envelope)).toEqual(bytes)
  })

  test('has as many bytes as the channel says', async () => {
    const { url } = await startAgent({ hooks, ...filing(100), attachBytes: 0 })
    const response = await post(`${url}/webhooks/notes`, { text: 'files' })
    expect(filesIn((await response.json()) as Envelope)).toEqual([undefined])
  })

  test('has them at the status URL too', async () => {
    const { promise: reported, resolve: tell } = Promise.withResolvers<void>()
    const { actor, beach } = filing(100)
    const slowly = async (turn: ActorContext) => {
      await reported
      await actor(turn)
    }
    const slow = { notes: { verify, parts: textParts, timeoutMs: 1 } }
    const { url } = await startAgent({ hooks: slow, actor: slowly, beach })
    const response = await post(`${url}/webhooks/notes`, { text: 'files' })
    const { statusUrl } = (await response.json()) as { statusUrl: string }
    tell()
    const { envelope } = await settled(statusUrl.replace(publicUrl, url))
    expect(filesIn(envelope)).toEqual([100])
  })

  test('has them in a callback', async () => {
    const receiver = await startReceiver()
    const callback = { url: receiver.url, secrets: [whsec(2)] }
    const called: Hooks = { notes: { verify, parts: textParts, callback } }
    const { url } = await startAgent({ hooks: called, ...filing(100), fetch: fetchTo(receiver.origin) })
    await post(`${url}/webhooks/notes`, { text: 'files' })
    await receiver.count(1)
    expect(filesIn(JSON.parse(receiver.received[0]?.body ?? '') as Envelope)).toEqual([100])
  })
})
