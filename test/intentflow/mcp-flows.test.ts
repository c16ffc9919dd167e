import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validateA2ui } from '@cool-ai/beach-a2ui'
import type { ToolShow } from '@cool-ai/beach-core/ports'
import { startAgent } from '@cool-ai/example-kit'
import { defineFlow } from '@intentflow/core'
import { expect, onTestFinished, test } from 'vitest'
import { setup } from 'xstate'
import { z } from 'zod'
import { coffeeAgent } from '../../examples/coffee/coffee-agent.ts'
import { connect, eras, newToken, startConcierge, type Era } from '../mcp/support.ts'
import { agentOf, everyFieldAgent } from './every-field.ts'
import { tableFlows } from './shop-flows.ts'
import { mergeOptions } from '../support/merge-options.ts'

test.each(Object.keys(eras) as Era[])(
  'a stock MCP client (%s) opens a flow and confirms what must be confirmed',
  async (era) => {
    const made = tableFlows({ publicUrl: 'https://tables.example' })
    const { url, beach } = await startConcierge(made.beach)
    const token = await tokenOf(new URL('/sessions', url))
    const client = await connect(url, era, { token })
    const call = async (name: string, args: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: args })
      return structuredContent as Record<string, unknown>
    }
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['table__book', 'flow_get', 'flow_event', 'flow_confirm', 'flow_dismiss']),
    )
    const opened = await call('table__book', { guests: 2 })
    expect(opened).toMatchObject({ status: 'open', text: 'A table for 2, <asking>' })
    const { instanceId } = opened
    const asked = await call('flow_event', { instanceId, event: 'CONFIRM', payload: { name: 'Alex' } })
    expect(asked).toMatchObject({ status: 'confirmation_required' })
    expect(made.booked).toEqual([])
    const { confirmation } = asked
    const stranger = await connect(url, era, { token: await tokenOf(new URL('/sessions', url)) })
    const stolen = await stranger.callTool({ name: 'flow_confirm', arguments: { instanceId, confirmation } })
    const structuredContent = { status: 'failed', error: { code: 'INSTANCE_NOT_FOUND' } }
    expect(stolen).toMatchObject({ isError: true, structuredContent })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'done', state: 'booked' })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'failed' })
    expect(made.booked).toHaveLength(1)
    expect(beach.agent.id).toBe('concierge')
  },
)

/** A new user, who is known by a token. */
async function tokenOf(url: URL): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  return ((await response.json()) as { token: string }).token
}

/** What the app is given to show, besides what models get. */
function shownIn({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): ToolShow {
  return _meta?.['cool-ai.beach/shown'] ?? {}
}

test.each(Object.keys(eras) as Era[])(
  'a stock MCP client (%s) goes through a whole order as the app does, with a confirmation that is good once',
  async (era) => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
    const running = await startAgent(coffeeAgent, { port: 0, folder, store: 'memory' })
    onTestFinished(async () => {
      await running.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const url = new URL('/mcp', running.url)
    const client = await connect(url, era, { token: await newToken(running.url) })
    const stranger = await connect(url, era, { token: await newToken(running.url) })

    const ui = { ui: { resourceUri: 'ui://example-coffee/surfaces' }, 'ui/resourceUri': 'ui://example-coffee/surfaces' }
    const { tools } = await client.listTools()
    for (const name of ['order__place', 'flow_get', 'flow_event', 'flow_confirm', 'flow_dismiss']) {
      expect(tools.find((tool) => tool.name === name)?._meta, name).toEqual(ui)
    }

    /** Does what the button of a surface does. */
    const press = async (shown: ToolShow, name: string, context: object = {}, by = client) => {
      const { tool, arguments: args, contextAs } = shown.actions?.[name] ?? { tool: '', arguments: {} }
      return by.callTool({ name: tool, arguments: { ...args, ...(contextAs && { [contextAs]: context }) } })
    }
    const opened = await client.callTool({ name: 'order__place', arguments: { items: [{ name: 'latte' }] } })
    const review = shownIn(opened)
    expect(validateA2ui(review.messages).problems).toEqual([])
    // The model gets what it got before: no surface.
    expect(JSON.stringify([opened.content, opened.structuredContent])).not.toContain('updateComponents')
    expect(opened.structuredContent).toMatchObject({ status: 'open', state: 'review' })

    const tipped = await press(review, 'SET_TIP', { tip: '2.5' })
    expect(tipped.structuredContent).toMatchObject({ status: 'done' })
    expect(JSON.stringify(shownIn(tipped).messages)).toContain('"tip":"2.5"')
    const refused = await press(review, 'SET_TIP', { tip: 'lots' })
    expect(refused.structuredContent).toMatchObject({ status: 'failed', error: { code: 'INVALID_PAYLOAD' } })
    expect([opened, tipped, refused].map(({ isError }) => isError)).toEqual([undefined, undefined, true])
    // Nothing to show: what was filled in stays.
    expect(shownIn(refused)).toEqual({ problem: '“Tip” must be a number.' })
    const tooLow = await press(review, 'SET_TIP', { tip: '-3' })
    expect(shownIn(tooLow)).toEqual({ problem: expect.stringContaining('tip') as string })

    const asked = await press(shownIn(tipped), 'CONFIRM', { selectedPaymentId: ['pm_001'], tip: '2.5' })
    expect(asked.structuredContent).toMatchObject({ status: 'confirmation_required', payload: { tip: 2.5 } })
    const question = shownIn(asked)
    expect(validateA2ui(question.messages).problems).toEqual([])
    expect(Object.keys(question.actions ?? {})).toEqual(['intentflow.confirm', 'intentflow.look'])
    expect(question.note).toBeUndefined()
    const stolen = await press(question, 'intentflow.confirm', {}, stranger)
    expect(stolen.structuredContent).toMatchObject({ error: { code: 'INSTANCE_NOT_FOUND' } })
    expect(shownIn(stolen).messages).toBeUndefined()
    const looked = await press(question, 'intentflow.look', {}, stranger)
    expect(shownIn(looked)).toEqual({ problem: expect.any(String) as string })

    const done = await press(question, 'intentflow.confirm')
    expect(done.structuredContent).toMatchObject({
      status: 'done',
      state: 'confirmed',
      reason: 'completed',
      result: { confirmationNumber: expect.stringMatching(/^CF-/) as string },
    })
    expect(validateA2ui(shownIn(done).messages).problems).toEqual([])
    expect(JSON.stringify(shownIn(done).messages)).toMatch(/Confirmation number: CF-\d{5}/)
    const again = await press(question, 'intentflow.confirm')
    expect(again.structuredContent).toMatchObject({ status: 'failed', error: { code: 'INVALID_TRANSITION' } })
    expect(shownIn(again).messages).toBeUndefined()
  },
)

test('without an app nothing is shown, and no tool names one', async () => {
  const { url, serving } = await startConcierge(
    mergeOptions(everyFieldAgent().beach, { protocols: { mcp: { app: false } } }),
  )
  const client = await connect(url, 'modern', { token: await newToken(serving.url) })
  const { tools } = await client.listTools()
  expect(tools.filter(({ _meta }) => _meta !== undefined)).toEqual([])
  const opened = await client.callTool({ name: 'form__fill', arguments: { about: 'Hello' } })
  expect(opened.structuredContent).toMatchObject({ status: 'open', text: 'Hello' })
  expect(opened._meta).not.toHaveProperty(['cool-ai.beach/shown'])
})

test.each(Object.keys(eras) as Era[])(
  'a guest (%s) goes on by what opening has given, in one session; no other user’s flow is there for them',
  async (era) => {
    const made = tableFlows()
    const { url, serving } = await startConcierge(made.beach)
    const guest = await connect(url, era)
    const call = async (name: string, args: Record<string, unknown>, by = guest) => {
      const { structuredContent, _meta } = await by.callTool({ name, arguments: args })
      return { ...(structuredContent as Record<string, unknown>), where: _meta?.['cool-ai.beach/conversationId'] }
    }
    const opened = await call('table__book', { guests: 2 })
    const { instanceId, where } = opened as unknown as { instanceId: string; where: string }
    const asked = await call('flow_event', { instanceId, event: 'CONFIRM', payload: { name: 'Alex' } })
    expect(asked).toMatchObject({ status: 'confirmation_required', instanceId, where })
    const { confirmation } = asked as { confirmation?: string }
    const notFound = { status: 'failed', error: { code: 'INSTANCE_NOT_FOUND' } }
    // Without the conversation, the instance alone leads nowhere.
    const bare = instanceId.split('@')[0]
    expect(await call('flow_confirm', { instanceId: bare, confirmation })).toMatchObject({ status: 'failed' })
    const known = await connect(url, era, { token: await newToken(serving.url) })
    expect(await call('flow_confirm', { instanceId, confirmation }, known)).toMatchObject(notFound)
    const theirs = (await call('table__book', { guests: 3 }, known)) as unknown as { instanceId: string }
    expect(await call('flow_get', { instanceId: theirs.instanceId })).toMatchObject(notFound)
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'done', state: 'booked' })
    expect(await call('flow_confirm', { instanceId, confirmation })).toMatchObject({ status: 'failed' })
    expect(made.booked).toHaveLength(1)
  },
)

test('a flow makes its own surface where it can; one that fails, or has none for a state, gets the usual one', async () => {
  const own = [{ version: 'v0.9', createSurface: { surfaceId: 'own', catalogId: 'https://a2ui.org/own' } }] as const
  const { beach } = agentOf(
    defineFlow({
      intentId: 'light.switch',
      meta: { title: 'Light', description: 'Switches the light.', dismissable: false },
      schema: z.object({}),
      machine: setup({}).createMachine({
        initial: 'off',
        states: {
          off: { on: { ON: 'on', HINT: 'off' } },
          on: { on: { BREAK: 'broken' } },
          broken: { on: { FIXED: 'off' } },
        },
      }),
      events: {
        ON: { source: 'client' },
        HINT: { source: 'client', local: true },
        BREAK: { source: 'client' },
        FIXED: { source: 'server' },
      },
      surface({ state }) {
        if (state === 'broken') throw new Error('It is dark.')
        return state === 'off' ? own : undefined
      },
    }),
  )
  const { url, serving } = await startConcierge(beach)
  const client = await connect(url, 'modern', { token: await newToken(serving.url) })
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, ...result } = await client.callTool({ name, arguments: args })
    return { ...shownIn(result), instanceId: (structuredContent as { instanceId: string }).instanceId }
  }
  const off = await call('light__switch', {})
  expect(off.messages).toEqual(own)
  // What stays in a page, and what cannot be put away, is not offered.
  expect(Object.keys(off.actions ?? {})).toEqual(['ON', 'intentflow.look'])
  const { instanceId } = off
  const on = await call('flow_event', { instanceId, event: 'ON' })
  expect(validateA2ui(on.messages).problems).toEqual([])
  expect(JSON.stringify(on.messages)).toContain('"BREAK"')
  const broken = await call('flow_event', { instanceId, event: 'BREAK' })
  expect(validateA2ui(broken.messages).problems).toEqual([])
  // There is nothing to do but to look again.
  expect(JSON.stringify(broken.messages)).toContain('"Look again"')
})
