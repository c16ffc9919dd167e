import { defineActor } from '@cool-ai/beach'
import { StateMachineRegistry } from '@cool-ai/beach-core'
import type { StateTransitionRefusal } from '@cool-ai/beach-core/log'
import { basicCatalogId } from '@cool-ai/beach-protocol'
import { describe, expect, test, vi } from 'vitest'
import {
  apiKey,
  approvalIn,
  collect,
  data,
  foldArtifacts,
  Gate,
  getTask,
  request,
  says,
  send,
  startAgent,
  stateOf,
  statesIn,
  stockClient,
  answerOf,
  textsOf,
  ways,
} from './agent.ts'
import { callerCard } from '../support/caller-card.ts'

/** Asks where to, and then says it. */
const asks = defineActor(async ({ text, messages, respond }) => {
  if (text === 'book') {
    await respond({ parts: [{ partType: 'clarify', text: 'Where to?' }], turnState: 'clarifying' })
  } else {
    const parts = [{ partType: 'response', text: `Booked for ${text} (${messages.length}).` }]
    await respond({ parts, turnState: 'complete' })
  }
})

/** Does something that needs an approval. */
function pays(ran: string[] = []) {
  return defineActor(async ({ text, respond, tool }) => {
    const call = { name: 'pay', args: { amount: 7 }, requiresApproval: true }
    const result = await tool(call, async () => {
      ran.push(text)
      return 'paid'
    })
    const said = result.outcome === 'ok' ? result.value : result.outcome
    await respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
  })
}

describe.each(ways)('by %s', (way) => {
  test('a question is INPUT_REQUIRED with the question, and its answer goes on with the same task', async () => {
    const { url } = await startAgent({ actors: { asks } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('book'))
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    expect(textsOf(asked.status?.message)).toEqual(['Where to?'])
    const done = await send(client, says('Corfu', { taskId: asked.id, contextId: asked.contextId }))
    expect(done.id).toBe(asked.id)
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toEqual(['Booked for Corfu (1).'])
    expect(done.history.flatMap((message) => textsOf(message))).toEqual(['book', 'Where to?', 'Corfu'])
  })

  test('a task that runs is cancelled where it runs, and ends CANCELED', async () => {
    const started = new Gate()
    const ended = new Gate()
    const slow = defineActor(async ({ signal }) => {
      signal.addEventListener('abort', () => ended.open())
      started.open()
      await ended.opened
      signal.throwIfAborted()
    })
    const { url } = await startAgent({ actors: { slow } })
    const client = await stockClient(url, way)
    const task = await send(client, says('take your time'), { returnImmediately: true })
    await started.opened
    expect(stateOf(await getTask(client, task.id))).toBe('WORKING')
    expect(stateOf(await client.cancelTask({ id: task.id, tenant: '', metadata: undefined }))).toBe('CANCELED')
    await ended.opened
    // Once more changes nothing.
    await expect(client.cancelTask({ id: task.id, tenant: '', metadata: undefined })).rejects.toThrow(/over already/)
    expect(stateOf(await getTask(client, task.id))).toBe('CANCELED')
  })

  test('a task that asks is cancelled too, and takes no answer any more; one that is complete cannot be', async () => {
    const { url } = await startAgent({ actors: { asks } })
    const client = await stockClient(url, way)
    const cancel = (id: string) => client.cancelTask({ id, tenant: '', metadata: undefined })
    const asked = await send(client, says('book'))
    const stream = client.resubscribeTask({ id: asked.id, tenant: '' })
    await stream.next()
    expect(stateOf(await cancel(asked.id))).toBe('CANCELED')
    expect(statesIn(await collect(stream)).at(-1)).toBe('CANCELED')
    expect(stateOf(await getTask(client, asked.id))).toBe('CANCELED')
    await expect(send(client, says('Corfu', { taskId: asked.id }))).rejects.toThrow(/over/)
    const done = await send(client, says('Corfu'))
    await expect(cancel(done.id)).rejects.toThrow(/over already/)
  })

  test('an answer that comes when the task is just being cancelled does not bring it back', async () => {
    const { url, beach } = await startAgent({ actors: { asks } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('book'))
    const { sessions } = beach
    const post = sessions.post.bind(sessions)
    // Between the look at the task and the commit of its answer.
    vi.spyOn(sessions, 'post').mockImplementationOnce(async (...args) => {
      await client.cancelTask({ id: asked.id, tenant: '', metadata: undefined })
      return post(...args)
    })
    await expect(send(client, says('Corfu', { taskId: asked.id }))).rejects.toThrow(/cancelled/)
    expect(stateOf(await getTask(client, asked.id))).toBe('CANCELED')
  })

  test('a question to which something has come since cannot be taken back', async () => {
    const { url } = await startAgent({ actors: { asks } })
    const client = await stockClient(url, way)
    const asked = await send(client, says('book'))
    await send(client, says('Rome', { contextId: asked.contextId }))
    await expect(client.cancelTask({ id: asked.id, tenant: '', metadata: undefined })).rejects.toThrow(/come in this/)
  })

  test('what an actor throws is not told, only that it failed', async () => {
    const broken = defineActor(async () => {
      throw new Error('secret-canary at /etc/internal')
    })
    const { url } = await startAgent({ actors: { broken } })
    const client = await stockClient(url, way)
    const task = await send(client, says('hello'))
    expect(stateOf(task)).toBe('FAILED')
    expect(JSON.stringify(task)).not.toContain('canary')
    expect(textsOf(task.status?.message)).toEqual(['Something went wrong while answering. Please try again.'])
    const events = await collect(client.sendMessageStream(request(says('hello'))))
    expect(statesIn(events).at(-1)).toBe('FAILED')
    expect(JSON.stringify(events)).not.toContain('canary')
  })
})

describe('approvals', () => {
  test('a task that waits for an approval says so in words and as data, and goes on when it is granted', async () => {
    const ran: string[] = []
    const { url } = await startAgent({ actors: { pays: pays(ran) } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    expect(textsOf(asked.status?.message)[0]).toMatch(/^Approval needed: Pay\nAmount: 7\n/)
    expect(ran).toEqual([])
    const answer = data({ approvalId: approvalIn(asked), decision: 'granted' }, 'approval-response')
    const done = await send(client, says('', { taskId: asked.id, parts: [answer] }))
    expect(stateOf(done)).toBe('COMPLETED')
    expect(answerOf(done)).toEqual(['paid'])
    expect(ran).toEqual(['pay'])
  })

  test('a denial goes on too, and streams', async () => {
    const { url } = await startAgent({ actors: { pays: pays() } })
    const client = await stockClient(url)
    const asked = await collect(client.sendMessageStream(request(says('pay'))))
    expect(statesIn(asked).at(-1)).toBe('INPUT_REQUIRED')
    const first = asked[0]
    const id = first?.$case === 'task' ? first.value.id : ''
    const task = await getTask(client, id)
    const answer = data({ approvalId: approvalIn(task), decision: 'denied' }, 'approval-response')
    const events = await collect(client.sendMessageStream(request(says('', { taskId: id, parts: [answer] }))))
    expect(events[0]?.$case).toBe('task')
    expect(statesIn(events).at(-1)).toBe('COMPLETED')
    expect([...foldArtifacts(events).values()]).toContain('denied')
  })

  test('a text that is neither yes nor no decides nothing: the caller is told how to decide', async () => {
    const ran: string[] = []
    const { url } = await startAgent({ actors: { pays: pays(ran) } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    await expect(send(client, says('do what you like', { taskId: asked.id }))).rejects.toThrow(/approvalId, decision/)
    expect(stateOf(await getTask(client, asked.id))).toBe('INPUT_REQUIRED')
    expect(ran).toEqual([])
  })

  test('a decision by another channel brings the task on as well', async () => {
    const { url, beach } = await startAgent({ actors: { pays: pays() } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    const stream = client.resubscribeTask({ id: asked.id, tenant: '' })
    expect((await stream.next()).value?.payload?.$case).toBe('task')
    const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
    expect(await beach.sessions.decide(approvalIn(asked), { decision: 'granted' }, operator)).toBe('decided')
    expect(statesIn(await collect(stream)).at(-1)).toBe('COMPLETED')
  })

  test('an approval response without a task, or for another one, is refused', async () => {
    const { url } = await startAgent({ actors: { pays: pays() } })
    const client = await stockClient(url)
    const asked = await send(client, says('pay'))
    const answer = data({ approvalId: approvalIn(asked), decision: 'granted' }, 'approval-response')
    await expect(send(client, says('', { parts: [answer] }))).rejects.toThrow(/needs the taskId/)
    const other = await send(client, says('pay'))
    const foreign = says('', { taskId: other.id, parts: [answer] })
    await expect(send(client, foreign)).rejects.toThrow(/no such approval/)
    expect(stateOf(await getTask(client, asked.id))).toBe('INPUT_REQUIRED')
  })
})

describe('what a turn says', () => {
  const talker = defineActor(async ({ respond }) => {
    await respond({
      parts: [
        { partType: 'ack', text: 'On it.' },
        { partType: 'progress', data: { label: 'Searching' } },
      ],
      turnState: 'delegated',
    })
    await respond({
      parts: [
        { partType: 'response', text: 'Here.' },
        {
          partType: 'domain-data',
          data: { flights: [1] },
          metadata: { slotKey: 'ta.flights', mergeStrategy: 'append', kind: 'flight-list' },
        },
        {
          partType: 'a2ui-surface',
          data: { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: basicCatalogId } },
        },
        { partType: 'llm-context', text: 'For models.' },
        {
          partType: 'artifact',
          data: {
            artifactId: 'a1',
            mimeType: 'text/csv',
            sizeBytes: 3,
            name: 'f.csv',
            url: 'https://files.example/a1',
          },
        },
      ],
      turnState: 'complete',
    })
  })

  test('each part of the envelope is an artifact of the task, with its metadata, and the envelope’s is the task’s', async () => {
    const { url } = await startAgent({ actors: { talker } })
    const client = await stockClient(url)
    const { status, artifacts, metadata } = await send(client, says('go'))
    const made = artifacts.flatMap(({ parts }) => parts)
    const types = made.map((part) => part.metadata?.partType as string)
    expect(types).toEqual(expect.arrayContaining(['response', 'domain-data', 'a2ui-surface', 'artifact']))
    expect(types).not.toContain('llm-context')
    const parts = new Map(made.map((part) => [part.metadata?.partType as string, part]))
    expect(parts.get('domain-data')?.metadata).toMatchObject({ slotKey: 'ta.flights', mergeStrategy: 'append' })
    expect(parts.get('a2ui-surface')).toMatchObject({
      mediaType: 'application/json+a2ui',
      content: { $case: 'data', value: [{ version: 'v0.9' }] },
    })
    expect(parts.get('artifact')).toMatchObject({
      content: { $case: 'url', value: 'https://files.example/a1' },
      filename: 'f.csv',
      mediaType: 'text/csv',
    })
    expect(metadata?.meta).toMatchObject({ turnState: 'complete', finalizedBy: 'complete' })
    expect(status?.message).toBeUndefined()
  })

  test('a peer that consumes llm-context gets it, also when it asks for the task later', async () => {
    const { metadata, callerCards } = await callerCard(['llm-context', 'domain-data'])
    const { url } = await startAgent({ actors: { talker }, access: { callerCards } })
    const client = await stockClient(url)
    const task = await send(client, says('go', { metadata }))
    expect(answerOf(task)).toContain('For models.')
    expect(answerOf(await getTask(client, task.id))).toContain('For models.')
  })

  test('acknowledgements and progress are WORKING updates without a message', async () => {
    const { url } = await startAgent({ actors: { talker } })
    const client = await stockClient(url)
    const events = await collect(client.sendMessageStream(request(says('go'))))
    const updates = events.flatMap((event) => (event.$case === 'statusUpdate' ? [event.value] : []))
    const notes = updates.filter(({ metadata }) => metadata?.partType !== undefined)
    expect(notes.map(({ metadata }) => metadata?.partType as string)).toEqual(['ack', 'progress'])
    expect(notes.every(({ status }) => status?.message === undefined)).toBe(true)
    expect(updates.some(({ metadata }) => metadata?.turnState === 'delegated')).toBe(true)
  })

  test('a turn that is passed on stays one task', async () => {
    const first = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'ack', text: 'Bob knows.' }], turnState: 'passed', passTo: 'bob' })
    })
    const bob = defineActor(async ({ respond }) => {
      await respond({ parts: [{ partType: 'response', text: 'I do.' }], turnState: 'complete' })
    })
    const { url } = await startAgent({ actors: { first, bob }, entry: 'first' })
    const client = await stockClient(url)
    const task = await send(client, says('who?'))
    expect([stateOf(task), ...answerOf(task)]).toEqual(['COMPLETED', 'I do.'])
  })
})

describe('what comes in', () => {
  const shows = defineActor(async ({ messages, view, respond }) => {
    const parts = messages.flatMap((message) => message.parts)
    const shown = parts.map(({ text, data: value, metadata }) => ({ text, value, type: metadata.partType }))
    const text = JSON.stringify({ seen: shown, coordinates: view.coordinates })
    await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
  })

  async function seen(
    parts: Parameters<typeof says>[1],
    options: Parameters<typeof startAgent>[0] = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const { url } = await startAgent({ actors: { shows }, ...options })
    const task = await send(await stockClient(url, 'JSONRPC 1.0', headers), says('hi', parts))
    return JSON.parse(answerOf(task)[0] ?? '{}') as { seen: unknown[]; coordinates: unknown }
  }

  test('parts of types that only actors say are plain content', async () => {
    const parts = [data({ a: 1 }, 'response'), data({ b: 2 }, 'approval-request'), data({ c: 3 })]
    const found = await seen({ parts })
    expect(found.seen).toEqual([
      { type: 'message', value: { a: 1 } },
      { type: 'message', value: { b: 2 } },
      { type: 'message', value: { c: 3 } },
    ])
  })

  test('files and links come in as data', async () => {
    const link = {
      content: { $case: 'url', value: 'https://x.example/f' },
      metadata: undefined,
      filename: 'f',
      mediaType: '',
    }
    const raw = {
      content: { $case: 'raw', value: Buffer.from('hi') },
      metadata: undefined,
      filename: '',
      mediaType: 'text/plain',
    }
    const found = await seen({ parts: [link, raw] as never })
    expect(found.seen).toEqual([
      { type: 'message', value: { url: 'https://x.example/f', filename: 'f' } },
      { type: 'message', value: { raw: 'aGk=', mediaType: 'text/plain' } },
    ])
  })

  function trip(allowHandlerTransitions: boolean) {
    const stateMachines = new StateMachineRegistry()
    const stage = { initial: 'idea', transitions: { idea: ['booked'], booked: [] } }
    stateMachines.register({ components: { trip: { allowHandlerTransitions, coordinates: { stage } } } })
    return { stateMachines }
  }

  // Document 000, "setState part schema": a peer Beach that gets the part decodes and applies it, if it may.
  test.each([
    ['is applied for a caller with the scope', ['state:write'], true, 'booked'],
    ['changes nothing when its component has not opted in', ['state:write'], false, 'idea'],
    ['changes nothing for a caller without the scope', ['booking:write'], true, 'idea'],
    ['changes nothing for a stranger', undefined, true, 'idea'],
  ])('a setState part %s, and is no part of the conversation', async (_, scopes, isAllowed, stage) => {
    const refusals: StateTransitionRefusal[] = []
    const key = apiKey('X-Key', { scopes: scopes ?? [] })
    const options = {
      ...trip(isAllowed),
      access: { authenticators: [key.authenticate] },
      turns: { onStateTransitionRejected: (refusal: StateTransitionRefusal) => refusals.push(refusal) },
    }
    const part = data({ 'trip.stage': 'booked' }, 'setState')
    const found = await seen({ parts: [part] }, options, scopes && key.headers)
    expect(found.coordinates).toEqual({ 'trip.stage': stage })
    expect(found.seen).toEqual([{ type: 'message', text: '' }])
    expect(refusals.map(({ by }) => by?.kind)).toEqual(
      stage === 'booked' ? [] : [scopes === undefined ? 'anonymous' : 'peer'],
    )
  })

  test('a setState part of a stranger that claims to be of a listed peer changes nothing', async () => {
    const part = data({ 'trip.stage': 'booked' }, 'setState')
    const claims = { ...part, metadata: { ...part.metadata, origin: { peer: 'sally' } } }
    const peers = { sally: { url: 'http://127.0.0.1:9/', scopes: ['state:write'] } }
    const found = await seen({ parts: [claims] }, { ...trip(true), peers })
    expect(found.coordinates).toEqual({ 'trip.stage': 'idea' })
  })
})

describe.each(ways)('surfaces by %s', (way) => {
  const catalogId = basicCatalogId
  const shows = defineActor(async ({ respond }) => {
    const surface = [
      { version: 'v0.9', createSurface: { surfaceId: 's', catalogId } },
      {
        version: 'v0.9',
        updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: 'Hi.' }] },
      },
    ]
    await respond({ parts: [{ partType: 'a2ui-surface', data: surface }], turnState: 'complete' })
  })
  const showing = (supportedCatalogIds: string[]) => ({
    metadata: { a2uiClientCapabilities: { 'v0.9': { supportedCatalogIds } } },
  })

  test('come in words to callers that know other catalogs, also when they ask again', async () => {
    const { url } = await startAgent({ actors: { shows } })
    const client = await stockClient(url, way)
    const knows = await send(client, says('show', showing([catalogId])))
    expect(answerOf(knows)).toEqual([])
    const other = await send(client, says('show', showing(['https://catalog.example'])))
    expect(answerOf(other)).toEqual(['Hi.'])
    const again = await getTask(client, other.id)
    expect(answerOf(again)).toEqual(['Hi.'])
    expect(again.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'Hi.' })
  })
})
