import { join } from 'node:path'
import type { Client, CallToolResult } from '@modelcontextprotocol/client'
import { expect, it, type TestContext } from 'vitest'
import { connect, startConcierge } from '../mcp/support.ts'
import { openMcpHost, type HostGlobal, type McpHost } from './mcp-host.ts'

interface Setup extends McpHost {
  readonly client: Client
  readonly ask: (message: string, conversationId?: string) => Promise<CallToolResult>
}

/** An agent, the stock client of MCP, and a page with the stock host of MCP Apps, which has loaded the agent’s app. */
async function setUp(test: TestContext): Promise<Setup> {
  const { url } = await startConcierge()
  const client = await connect(url, 'modern', { hostsApps: true })
  return {
    ...(await openMcpHost(test, client, 'ask_the_concierge')),
    client,
    ask: async (message, conversationId) =>
      client.callTool({ name: 'ask_the_concierge', arguments: { message, ...(conversationId && { conversationId }) } }),
  }
}

function conversationOf(result: CallToolResult): string {
  return (result.structuredContent as { conversationId: string }).conversationId
}

it('tools refer to the app, and the app is one page that loads nothing', async () => {
  const { url } = await startConcierge()
  const client = await connect(url, 'modern')
  expect(client.getServerCapabilities()?.extensions).toMatchObject({ 'io.modelcontextprotocol/ui': {} })
  const { tools } = await client.listTools()
  const uri = 'ui://concierge/surfaces'
  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual(
    ['ask_the_concierge', 'ask_the_concierge_resume'].map((name) => [
      name,
      { ui: { resourceUri: uri }, 'ui/resourceUri': uri },
    ]),
  )
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([
    {
      uri,
      mimeType: 'text/html;profile=mcp-app',
      text: expect.stringMatching(/^<!doctype html>/) as string,
      _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: false } },
    },
  ])
  const [{ text = '' } = {}] = contents as { text?: string }[]
  expect(text).toContain("default-src 'none'; script-src 'sha256-")
  const [markup = ''] = text.split('<script>')
  expect(markup).not.toMatch(/(?:src|href)=/)
})

it('an agent can do without the app', async () => {
  const { url } = await startConcierge({ protocols: { mcp: { app: false } } })
  const client = await connect(url, 'modern')
  expect(client.getServerCapabilities()?.extensions).not.toHaveProperty(['io.modelcontextprotocol/ui'])
  const { tools } = await client.listTools()
  expect(tools[0]).not.toHaveProperty('_meta')
  await expect(client.readResource({ uri: 'ui://concierge/surfaces' })).rejects.toThrow('ui://concierge/surfaces')
})

it('a surface of the answer is shown, and what the user does on it is a call of the tool', async (test) => {
  const { app, ask, calls, logged, page, show } = await setUp(test)
  const asked = await ask('find me a flight')
  await show(await ask('Gatwick', conversationOf(asked)))
  const button = app.getByRole('button', { name: 'Book' })
  await button.waitFor()
  expect(await app.locator('main').getByText('BA 2043').count()).toBe(1)
  // The host shows the words of this answer itself.
  expect(await app.getByText('One flight.').count()).toBe(0)
  await page.waitForFunction(() => Number(document.querySelector('iframe')?.height) > 60)
  await button.click()
  await app
    .locator('main')
    .getByText(/^You said/)
    .waitFor()
  expect(calls).toEqual([
    {
      name: 'ask_the_concierge',
      arguments: {
        message: 'The user chose “book” on a surface.',
        conversationId: conversationOf(asked),
        action: {
          name: 'book',
          surfaceId: 'flights',
          sourceComponentId: expect.any(String) as string,
          timestamp: expect.any(String) as string,
          context: {},
        },
      },
    },
  ])
  await page.waitForFunction(() => (globalThis as unknown as HostGlobal).host.reported.length === 1)
  expect(await button.getAttribute('aria-disabled')).toBeNull()
  expect(logged).toEqual([])
})

it('an approval is decided by the tool that is for that', async (test) => {
  const { app, ask, calls, logged, page, show } = await setUp(test)
  const asked = await ask('book it')
  await show(asked, { theme: 'dark' })
  await app.getByRole('heading', { name: 'Book?' }).waitFor()
  await app.getByRole('button', { name: 'Approve', exact: true }).click()
  await app.locator('main').getByText('Booked: ref-1.').waitFor()
  const [{ name, arguments: args } = {}] = calls
  expect(name).toBe('ask_the_concierge_resume')
  expect(args).toEqual({
    conversationId: conversationOf(asked),
    approvalId: expect.any(String) as string,
    decision: 'granted',
  })
  expect(await app.locator('main').getByText('Approved.').count()).toBe(1)
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: join(folder, 'mcp-app-approved.png') })
  expect(await app.getByRole('button', { name: 'Deny' }).getAttribute('aria-disabled')).toBe('true')
  expect(logged).toEqual([])
})

it('what the agent refuses is said next to the surface, and can be tried again', async (test) => {
  const { app, ask, show } = await setUp(test)
  const asked = await ask('find me a flight')
  const answer = await ask('Gatwick', conversationOf(asked))
  const forged = {
    ...answer,
    structuredContent: { ...(answer.structuredContent as object), conversationId: 'another' },
  }
  await show(forged)
  const button = app.getByRole('button', { name: 'Book' })
  await button.click()
  await app.locator('.state').waitFor()
  expect(await app.locator('.state').textContent()).toMatch(/conversation/i)
  expect(await button.getAttribute('aria-disabled')).toBeNull()
})

it('a host that passes nothing on is named as the reason', async (test) => {
  const { app, ask, calls, show } = await setUp(test)
  const asked = await ask('find me a flight')
  await show(await ask('Gatwick', conversationOf(asked)), { serverTools: false })
  await app.getByRole('button', { name: 'Book' }).click()
  await app.locator('main').getByText('This application does not let surfaces send anything.').waitFor()
  expect(calls).toEqual([])
})

it('an answer without surfaces is shown in words, and the app leaves when it is asked to', async (test) => {
  const { app, ask, page, show } = await setUp(test)
  await show(await ask('hello'))
  await app.locator('main').getByText('You said hello').waitFor()
  await page.evaluate(() => (globalThis as unknown as HostGlobal).host.end())
  expect(await app.locator('main').getByText('You said hello').count()).toBe(0)
})
