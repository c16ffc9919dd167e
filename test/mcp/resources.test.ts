import { defineActor } from '@cool-ai/beach'
import type { SessionEvent } from '@cool-ai/beach-core/log'
import { defineTool, exposedTools } from '@cool-ai/beach-llm'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answerOf, connect, eras, newToken, runtime, say, startConcierge, type Era } from './support.ts'

describe.each(Object.keys(eras) as Era[])('a client of the %s era', (era) => {
  test('reads its conversations, newest first, page by page', async () => {
    const { url, serving } = await startConcierge()
    const client = await connect(url, era, { token: await newToken(serving.url) })
    const { conversationId } = answerOf(await say(client, 'Gatwick'))
    const { resources } = await client.listResources()
    expect(resources[0]).toMatchObject({
      uri: `beach://concierge/conversations/${conversationId}`,
      mimeType: 'application/json',
    })
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' })
    const [content] = contents
    const read = JSON.parse(content !== undefined && 'text' in content ? content.text : '') as Record<string, unknown>
    expect(read).toMatchObject({ conversationId, turnState: 'complete' })
    expect((read.parts as { role: string; part: { text?: string } }[])[0]).toMatchObject({
      role: 'user',
      part: { text: 'Gatwick' },
    })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'beach://concierge/conversations/{conversationId}',
      'beach://concierge/conversations/{conversationId}/artifacts/{artifactId}',
    ])
  })

  test('finds nothing behind URIs of others, or of nothing', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const written = answerOf(await say(client, 'write a plan'))
    const made = written.parts.find(({ metadata }) => metadata.partType === 'artifact')
    const { artifactId = '' } = (made?.data ?? {}) as { artifactId?: string }
    const other = answerOf(await say(client, 'hello')).conversationId
    for (const uri of [
      'file:///etc/passwd',
      'beach://concierge/conversations/%E0%A4%A',
      `beach://other/conversations/${other}`,
      `beach://concierge/conversations/${other}/artifacts/${artifactId}`,
      `beach://concierge/conversations/${other}/artifacts/art_none`,
    ]) {
      await expect(client.readResource({ uri }), uri).rejects.toThrow(/not found/i)
    }
    const uri = `beach://concierge/conversations/${written.conversationId}/artifacts/${artifactId}`
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ text: 'Day 1: Corfu.' })
  })

  test('finds the examples of the capabilities as prompts', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name, title }) => [name, title])).toEqual([
      ['flight-search', 'find me a flight'],
      ['flight-search-2', 'the cheapest to Rome'],
    ])
    const { messages } = await client.getPrompt({ name: 'flight-search-2' })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'the cheapest to Rome' } }])
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow(/no prompt 'none'/)
  })
})

describe('a tool that peers may call themselves', () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    inputSchema: z.object({ one: z.number(), other: z.number() }),
    peerExposed: true,
    handler: async ({ one, other }, { emit, session }) => {
      await emit([{ partType: 'progress', data: { label: 'Adding' } }])
      return { sum: one + other, session: session.sessionId }
    },
  })
  const hidden = defineTool({ ...add, name: 'hidden', peerExposed: false })
  const scoped = defineTool({ ...add, name: 'scoped', requiredScopes: ['maths'] })
  const broken = defineTool({
    ...add,
    name: 'broken',
    handler: async () => {
      throw new Error('secret insides')
    },
  })

  test('is listed and run, in the conversation that is named; others are not', async () => {
    const tools = exposedTools([add, hidden, scoped, broken], runtime)
    const { url } = await startConcierge({ exposedTools: tools })
    const client = await connect(url, 'modern')
    const listed = (await client.listTools()).tools.map(({ name }) => name)
    expect(listed).toEqual(['ask_the_concierge', 'ask_the_concierge_resume', 'add', 'scoped', 'broken'])
    const received: unknown[] = []
    const call = (name: string, args: Record<string, unknown>, _meta = {}) =>
      client.callTool({ name, arguments: args, _meta }, { onprogress: ({ message }) => received.push(message) })
    const first = await call('add', { one: 1, other: 2 })
    expect(first.structuredContent).toMatchObject({ sum: 3 })
    expect(received).toEqual(['Adding'])
    const conversationId = first._meta?.['cool-ai.beach/conversationId']
    const second = await call('add', { one: 1, other: 2 }, { 'cool-ai.beach/conversationId': conversationId })
    expect(second.structuredContent).toEqual(first.structuredContent)
    expect(await call('add', { one: 'x' })).toMatchObject({ isError: true })
    expect(await call('scoped', { one: 1, other: 2 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/needs the scope maths/) as string }],
    })
    expect(JSON.stringify(await call('broken', { one: 1, other: 2 }))).not.toContain('secret insides')
    const elsewhere = { 'cool-ai.beach/conversationId': 'conv_none' }
    expect(await call('add', { one: 1, other: 2 }, elsewhere)).toMatchObject({ isError: true })
  })

  test('is on record before it starts and when it has ended, with its caller', async () => {
    const store = new MemoryStore({ runtime })
    const { url } = await startConcierge({ exposedTools: exposedTools([add, broken], runtime), data: { store } })
    const client = await connect(url, 'modern')
    const { structuredContent, _meta = {} } = await client.callTool({ name: 'add', arguments: { one: 1, other: 2 } })
    await client.callTool({ name: 'broken', arguments: { one: 3, other: 4 }, _meta })
    const { session = '' } = structuredContent as { session?: string }
    const events = (await store.read(session, 0)).map(({ data }) => data as SessionEvent)
    const calls = events.filter(({ type }) => type.startsWith('exposedTool'))
    expect(calls).toMatchObject([
      { type: 'exposedToolStarted', name: 'add', payload: { args: { one: 1, other: 2 }, by: { kind: 'anonymous' } } },
      { type: 'exposedToolFinished', outcome: 'ok', payload: { value: { sum: 3 } } },
      { type: 'exposedToolStarted', name: 'broken', payload: { args: { one: 3, other: 4 } } },
      {
        type: 'exposedToolFinished',
        outcome: 'failed',
        payload: { value: expect.not.stringMatching(/secret/) as string },
      },
    ])
  })

  test('cannot be one that needs an approval', () => {
    expect(() => exposedTools([{ ...add, requiresApproval: true }], runtime)).toThrow(/cannot be peerExposed/)
  })
})

test('one caller has so many calls open and no more', async () => {
  const { url } = await startConcierge({ protocols: { mcp: { maxCalls: 1 } } })
  const client = await connect(url, 'modern')
  const gone = new AbortController()
  let began = () => {}
  const begun = new Promise<void>((resolve) => (began = resolve))
  const params = { name: 'ask_the_concierge', arguments: { message: 'wait' } }
  const waiting = client.callTool(params, { signal: gone.signal, onprogress: () => began() }).catch(() => {})
  await begun
  expect(await say(client, 'hello')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/1 calls are open already/) as string }],
  })
  gone.abort()
  await waiting
})

test.each([
  { url: 'https://files.example/report.pdf' },
  { url: 'https://files.example/report.pdf', artifactId: 'peers.sally.x', mimeType: 'application/pdf', sizeBytes: 9 },
])('a file that is elsewhere is linked where it is: %j', async (data) => {
  const actor = defineActor(async ({ respond }) => {
    const file = { partType: 'artifact' as const, data }
    await respond({ parts: [{ partType: 'response', text: 'Here.' }, file], turnState: 'complete' })
  })
  const { url } = await startConcierge({ actors: { actor } })
  const client = await connect(url, 'modern')
  const { content } = await client.callTool({ name: 'ask_the_concierge', arguments: { message: 'report' } })
  expect(content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri: data.url }))
})
