import type { ExtendServer } from '@cool-ai/beach-mcp'
import { inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answerOf, connect, eras, newToken, say, startConcierge, textsOf, type Era } from './support.ts'
import { ask } from './tasks/task-client.ts'

/** A tool with a picture, one that asks and remembers, a resource and a prompt, by the functions of the SDK. */
const extend: ExtendServer = (server, { principal, mintState }) => {
  const nothing = z.object({})
  server.registerTool('chart', { description: 'Draws.', inputSchema: nothing }, async () => ({
    content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  }))
  server.registerTool('whoami', { description: 'Says who calls.', inputSchema: nothing }, async () => ({
    content: [{ type: 'text', text: principal?.kind ?? 'nobody' }],
  }))
  server.registerTool('erase', { description: 'Asks first.', inputSchema: nothing }, async (_, context) => {
    const { file } = context.mcpReq.requestState<{ file?: string }>() ?? {}
    const response = inputResponse(context.mcpReq.inputResponses, 'sure')
    if (file !== undefined && response.kind === 'elicit')
      return { content: [{ type: 'text', text: `Erased ${file}.` }] }
    const requestedSchema = { type: 'object' as const, properties: { ok: { type: 'boolean' as const } } }
    return inputRequired({
      inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema }) },
      requestState: await mintState({ file: 'plan.txt' }, context),
    })
  })
  server.registerResource('menu', 'shop://menu', { mimeType: 'text/plain' }, async ({ href: uri }) => ({
    contents: [{ uri, text: 'Tea.' }],
  }))
  server.registerPrompt('greet', { description: 'Greets.' }, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello!' } }],
  }))
}

describe.each(Object.keys(eras) as Era[])('what an application adds, for a client of the %s era', (era) => {
  test('is served next to what its agent has', async () => {
    const { url, serving } = await startConcierge({ protocols: { mcp: { extend } } })
    const token = await newToken(serving.url)
    const client = await connect(url, era, { token, person: () => ({ action: 'accept', content: { ok: true } }) })
    const { conversationId } = answerOf(await say(client, 'hello'))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'ask_the_concierge',
      'ask_the_concierge_resume',
      'chart',
      'whoami',
      'erase',
    ])
    const call = (name: string) => client.callTool({ name, arguments: {} })
    expect((await call('chart')).content).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
    expect(textsOf(await call('whoami'))[0]?.text).toBe('anonymous')
    expect(textsOf(await call('erase'))[0]?.text).toBe('Erased plan.txt.')
    await expect(call('nothing')).rejects.toThrow('nothing')
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    const conversation = `beach://concierge/conversations/${conversationId}`
    expect([uris[0], uris.includes(conversation)]).toEqual(['shop://menu', true])
    expect((await client.readResource({ uri: 'shop://menu' })).contents).toMatchObject([{ text: 'Tea.' }])
    const [read] = (await client.readResource({ uri: conversation })).contents
    expect(JSON.stringify(read)).toContain('You said hello')
    await expect(client.readResource({ uri: 'shop://other' })).rejects.toThrow('shop://other')
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['flight-search', 'flight-search-2', 'greet'])
    expect((await client.getPrompt({ name: 'greet' })).messages[0]?.content).toMatchObject({ text: 'Hello!' })
    expect((await client.getPrompt({ name: 'flight-search' })).messages[0]?.content).toMatchObject({
      text: 'find me a flight',
    })
  })
})

test('the state of a call is for that call: neither side takes that of the other', async () => {
  const { url, serving } = await startConcierge({ protocols: { mcp: { extend, tasks: false } } })
  const options = { token: await newToken(serving.url), person: () => ({ action: 'cancel' as const }) }
  const call = (name: string, args: object, more = {}) =>
    ask(url, 'tools/call', { name, arguments: args, ...more }, options)
  const agents = (await call('ask_the_concierge', { message: 'book it' })).result as { requestState?: string }
  const own = (await call('erase', {})).result as { requestState?: string }
  const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
  const { requestState } = agents
  expect((await call('erase', {}, { requestState, inputResponses })).error).toMatchObject({
    code: -32_602,
    message: 'requestState: this state belongs to another call.',
  })
  const message = { message: 'book it' }
  expect((await call('ask_the_concierge', message, { requestState: own.requestState })).result).toMatchObject({
    isError: true,
    content: [{ text: 'requestState: this state belongs to another call.' }],
  })
})

test('a tool that takes the place of one of the agent is refused when the agent starts', async () => {
  const taken: ExtendServer = (server) =>
    void server.registerTool('ask_the_concierge', { inputSchema: z.object({}) }, async () => ({ content: [] }))
  await expect(startConcierge({ protocols: { mcp: { extend: taken } } })).rejects.toThrow(
    "The tool 'ask_the_concierge' cannot be served by MCP: there are two of it.",
  )
})
