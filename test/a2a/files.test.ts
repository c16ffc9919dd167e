import { StreamResponse, type Part, type Task } from '@a2a-js/sdk'
import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { PartTypeRegistry } from '@cool-ai/beach-core'
import type { ArtifactAbout } from '@cool-ai/beach-core/ports'
import { MemoryArtifactStore } from '@cool-ai/beach-missives'
import { describe, expect, test } from 'vitest'
import { callerCard } from '../support/caller-card.ts'
import { collect, getTask, ownContext, request, runtime, says, send, startAgent, stockClient, ways } from './agent.ts'
import { PushReceiver } from './push-receiver.ts'
import { mergeOptions } from '../support/merge-options.ts'

// Document 000, "Delivery rules per transport class": artifact — streaming: URL-reference preferred; buffered:
// bytes as an attachment.

const kb = 1024

interface Given extends Partial<ArtifactAbout> {
  readonly bytes: number
}

/** An agent that answers with these files: some are stored, others are references as they stand. */
async function filing(files: readonly (Given | object)[], options: Partial<BeachOptions> = {}) {
  const artifacts = new MemoryArtifactStore({ runtime })
  const clerk = defineActor(async ({ respond, tool }) => {
    const made = await tool({ name: 'files', args: {} }, async () => Promise.all(files.map((file) => kept(file))))
    const data = made.outcome === 'ok' ? made.value : []
    const parts = [
      { partType: 'response' as const, text: 'Here.' },
      ...data.map((file) => ({ partType: 'artifact' as const, data: file })),
    ]
    await respond({ parts, turnState: 'complete' })
  })
  const kept = async (file: Given | object) => {
    if (!('bytes' in file)) return file as { url: string }
    const { bytes, ...about } = file
    const defaults = { name: 'ticket.txt', mimeType: 'text/plain', tenant: 'default' }
    const { artifactId, mimeType, sizeBytes, name } = await artifacts.put(text(bytes), { ...defaults, ...about })
    return { artifactId, mimeType, sizeBytes, name }
  }
  return startAgent(mergeOptions({ actors: { clerk }, data: { artifacts } }, options))
}

function text(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'x')
}

function filesIn({ artifacts }: Task): Part[] {
  return artifacts.flatMap(({ parts }) => parts.filter(({ content }) => content?.$case !== 'text'))
}

/** What files came as: the size of their bytes, or `url`. */
function formsIn(parts: readonly Part[]): unknown[] {
  return parts.map(({ content }) => (content?.$case === 'raw' ? content.value.length : content?.$case))
}

describe.each(ways)('a file of an answer by %s', (way) => {
  test('has its bytes where the answer is no stream, and a link in a stream', async () => {
    const { url } = await filing([{ bytes: 100 }])
    const client = await stockClient(url, way)
    const task = await send(client, says('files'))
    const [part] = filesIn(task)
    // The stock client of 0.3 by HTTP+JSON loses names.
    const filename = way === 'HTTP+JSON 0.3' ? '' : 'ticket.txt'
    expect(part).toMatchObject({ filename, mediaType: 'text/plain' })
    expect(part?.content).toEqual({ $case: 'raw', value: text(100) })
    expect(filesIn(await getTask(client, task.id))).toEqual([part])
    const events = await collect(client.sendMessageStream(request(says('more'))))
    const streamed = events.flatMap((event) => {
      return event.$case === 'artifactUpdate' ? (event.value.artifact?.parts ?? []) : []
    })
    const link = streamed.find(({ content }) => content?.$case === 'url')
    expect(link?.content?.value).toContain(`${url}/artifacts/art_`)
    expect(await (await fetch(String(link?.content?.value))).text()).toBe('x'.repeat(100))
    expect(streamed.some(({ content }) => content?.$case === 'raw')).toBe(false)
  })

  test('that is known by its URL only goes by that', async () => {
    const { url } = await filing([{ url: 'https://files.example/a%20b.pdf' }])
    const [part] = filesIn(await send(await stockClient(url, way), says('files')))
    expect(part?.content).toEqual({ $case: 'url', value: 'https://files.example/a%20b.pdf' })
  })
})

test.each([
  ['as many bytes as go along', [256 * kb], [256 * kb]],
  ['one more', [256 * kb + 1], ['url']],
  ['several that fit together', [100 * kb, 100 * kb], [100 * kb, 100 * kb]],
  ['several of which one is too many', [200 * kb, 100 * kb, 10], [200 * kb, 'url', 10]],
])('with %s', async (_, sizes, forms) => {
  const { url } = await filing(sizes.map((bytes) => ({ bytes })))
  expect(formsIn(filesIn(await send(await stockClient(url), says('files'))))).toEqual(forms)
})

test.each([
  [0, ['url']],
  [99, ['url']],
  [100, [100]],
])('a2a.attachBytes says how many bytes go along: %i', async (attachBytes, forms) => {
  const { url } = await filing([{ bytes: 100 }], { protocols: { a2a: { attachBytes } } })
  expect(formsIn(filesIn(await send(await stockClient(url), says('files'))))).toEqual(forms)
})

test('an application that wants links gets them by the delivery rules of the part type', async () => {
  const partTypes = PartTypeRegistry.canonical()
  partTypes.amend('artifact', { deliveryRules: { streaming: 'url-reference', buffered: 'url-reference' } })
  const { url } = await filing([{ bytes: 100 }], { partTypes })
  expect(formsIn(filesIn(await send(await stockClient(url), says('files'))))).toEqual(['url'])
})

test('a push notification and one message have the bytes, a list has links', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await filing([{ bytes: 100 }], { protocols: { a2a: { fetch } } })
  const client = await stockClient(url)
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined }
  const contextId = ownContext('files')
  await send(client, says('files', { contextId }), { taskPushNotificationConfig: config })
  await receiver.count(1)
  const { payload } = StreamResponse.fromJSON(JSON.parse(receiver.received[0]?.body ?? ''))
  expect(payload?.$case === 'task' && formsIn(filesIn(payload.value))).toEqual([100])
  const metadata = { 'https://beach.cool-ai.io/extensions/v1/answer': 'message' }
  const message = await client.sendMessage(request(says('again', { metadata })))
  if (!('parts' in message)) throw new Error('A task came.')
  expect(formsIn(message.parts.filter(({ content }) => content?.$case !== 'text'))).toEqual([100])
  const listing = { tenant: '', contextId, status: 0, pageToken: '', statusTimestampAfter: undefined }
  const { tasks } = await client.listTasks({ ...listing, includeArtifacts: true })
  expect(tasks.map((task) => formsIn(filesIn(task)))).toEqual([['url']])
})

test('a file of another conversation, and one that is gone, have no bytes here', async () => {
  const gone = { artifactId: 'art_gone', mimeType: 'text/plain', sizeBytes: 5 }
  const { url } = await filing([{ bytes: 100, session: 'sess_other' }, gone])
  const task = await send(await stockClient(url), says('files'))
  expect(formsIn(filesIn(task))).toEqual(['data', 'data'])
  expect(JSON.stringify(task)).not.toContain('xxxx')
})

test('a Beach peer gets links, which it shows to its user', async () => {
  const { metadata, callerCards } = await callerCard(['artifact'])
  const { url } = await filing([{ bytes: 100 }], { access: { callerCards } })
  const client = await stockClient(url)
  const task = await send(client, says('files', { metadata: { ...metadata } }))
  expect(formsIn(filesIn(task))).toEqual(['url'])
  expect(formsIn(filesIn(await getTask(client, task.id)))).toEqual(['url'])
})
