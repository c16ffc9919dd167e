import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  FlowHost,
  FlowProvider,
  FlowRenderer,
  FlowTestProvider,
  useFlowState,
  useRenderContext,
} from '@intentflow/core/react'
import { createFlowClient } from '@intentflow/core/client'
import type { Page } from 'playwright-core'
import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import { beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { bundle } from '../client/bundle.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import type * as App from './react-app.ts'

declare const app: typeof App

let code = ''
beforeAll(async () => {
  // Only when it is built for development does React run effects twice.
  const entry = `import * as app from '../intentflow/react-app.ts'\nObject.assign(globalThis, { app })`
  code = (await bundle(entry, 'development')).code
})

/** A tab with the page, before it shows anything. */
async function tab(context: TestContext): Promise<Page> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', "default-src 'self'")
    const html = '<!doctype html><html lang="en"><title>Shop</title><div id="root"></div>'
    response.end(isScript ? code : `${html}<script type="module" src="/app.js"></script></html>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.onTestFinished(() => void server.close())
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'app' in globalThis)
  return page
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')
const problems = (page: Page) => page.evaluate(() => app.watched.problems)

describe('FlowHost', () => {
  test('shows flows by their components, and what is done in them', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    const instanceId = await page.evaluate(() => app.server.render())
    const section = page.getByRole('group', { name: 'Place an order' })
    await section.getByText('1 × tea').waitFor()
    expect(await section.locator('.state').textContent()).toBe('review inline ')
    // Done, and shown, before the server has answered.
    await page.evaluate(() => {
      const gate = Promise.withResolvers<void>()
      app.server.gate = gate.promise
      Object.assign(globalThis, { gate })
    })
    await section.getByRole('button', { name: 'Confirm' }).click()
    await section.locator('.state', { hasText: 'confirming pending' }).waitFor()
    await page.evaluate(() => (globalThis as unknown as { gate: PromiseWithResolvers<void> }).gate.resolve())
    await section.locator('.state', { hasText: 'confirming inline' }).waitFor()
    await page.evaluate((id) => {
      app.server.write('intentflow.props_update', {
        instanceId: id,
        operations: [{ op: 'set', path: 'items[0].quantity', value: 2 }],
      })
    }, instanceId)
    await section.getByText('2 × tea').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.evaluate(
      (id) => app.server.write('intentflow.dismiss', { instanceId: id, reason: 'completed' }),
      instanceId,
    )
    await section.waitFor({ state: 'detached' })
    expect(await problems(page)).toEqual([])
  })

  test('shows an error where it belongs, and what was done can be done again', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    const [first] = await page.evaluate(() => [app.server.render(), app.server.render()])
    const sections = page.getByRole('group')
    await sections.nth(1).waitFor()
    await sections.first().getByRole('button', { name: 'Save' }).click()
    await sections.first().getByRole('alert').waitFor()
    expect(await sections.first().getByRole('alert').textContent()).toBe('Rejected with INVALID_TRANSITION.')
    expect(await sections.nth(1).getByRole('alert').count()).toBe(0)
    await page.evaluate((id) => app.server.transition(id ?? '', 'editing'), first)
    await sections.first().getByRole('button', { name: 'Retry' }).click()
    await sections.first().locator('.by', { hasText: 'SAVE' }).waitFor()
    expect(await sections.first().getByRole('alert').count()).toBe(0)
    const events = await page.evaluate(() =>
      app.server.received.flatMap(({ events: all = [] }) => all.map(({ value }) => value)),
    )
    expect(events).toMatchObject([
      { event: 'SAVE', payload: { index: 2 } },
      { event: 'SAVE', payload: { index: 2 } },
    ])
  })

  test('draws only the flow that has changed', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    const [first, second] = await page.evaluate(() => [app.server.render(), app.server.render()])
    await page.getByRole('group').nth(1).waitFor()
    const before = await page.evaluate(() => ({ ...app.watched.draws }))
    await page.evaluate((id) => app.server.transition(id, 'editing'), second)
    await page.locator('.state', { hasText: 'editing' }).waitFor()
    const after = await page.evaluate(() => app.watched.draws)
    // The host gives each flow its place anew, but what is inside is drawn only where it is another.
    expect(after[first]).toBe(before[first])
    expect(after[second]).toBeGreaterThan(before[second] ?? 0)
  })

  test('says so when it cannot show a flow, and loads what is not there yet', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    await page.evaluate(() => app.server.render('order.unknown_thing'))
    await page.getByText('“Order unknown thing” cannot be shown here.').waitFor()
    await page.evaluate(() => app.server.render('order.lazy'))
    await page.getByText('Loading…').waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.evaluate(() => app.loaded())
    await page.getByText('Loaded now').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('cannot be shown here').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => app.server.received.at(-1)?.events?.[0]?.name)).toBe('intentflow.dismiss_request')
  })

  test('keeps what is broken in one flow from the others', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    const [broken] = await page.evaluate(() => [
      app.server.render('order.place', { props: { items: [], broken: true } }),
      app.server.render(),
    ])
    await page.getByText('1 × tea').waitFor()
    await page.getByRole('alert').getByText('This cannot be shown at the moment.').waitFor()
    expect(await barriersOn(page)).toEqual([])
    expect(await page.evaluate(() => app.watched.caught)).toContain('told of Error: This component is broken.')
    await page.evaluate((id) => {
      app.server.write('intentflow.props_update', { instanceId: id, patch: { broken: false } })
    }, broken)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Your order' }).nth(1).waitFor()
    expect(await problems(page)).toEqual([])
  })

  test('gives a flow of high priority the focus', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    await page.evaluate(() => app.server.render())
    await page.getByRole('group').waitFor()
    await page.locator('#behind').focus()
    await page.evaluate(() => app.server.render('order.unknown', { priority: 'high' }))
    await page.getByText('cannot be shown here').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Order unknown')
  })
})

describe.each(['modal', 'sheet', 'fullscreen'] as const)('a flow as a %s', (displayMode) => {
  test('has all the focus, and stays usable', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    await page.locator('#behind').focus()
    await page.evaluate((mode) => app.server.render('order.place', { displayMode: mode }), displayMode)
    const dialog = page.getByRole('dialog', { name: 'Place an order' })
    await dialog.waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('tip')
    const order: string[] = []
    for (let presses = 0; presses < 6; presses++) {
      await page.keyboard.press('Tab')
      order.push(await focused(page))
    }
    expect(order).toEqual(['Confirm', 'Edit', 'Save', '×', '', 'Confirm'])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('×')
    expect(await barriersOn(page)).toEqual([])
    expect(await problems(page)).toEqual([])
  })

  test('is dismissed by Escape, and gives the focus back', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    await page.locator('#behind').focus()
    await page.evaluate((mode) => app.server.render('order.place', { displayMode: mode }), displayMode)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Behind')
    await page.waitForFunction(() => Object.keys(app.server.flows).length === 0)
    expect(await page.evaluate(() => app.server.received.map(({ events }) => events?.[0]?.value))).toMatchObject([
      { instanceId: 'flow_1', reason: 'user_cancelled' },
    ])
  })

  test('that cannot be dismissed stays, however often Escape is pressed', async (context) => {
    const page = await tab(context)
    await page.evaluate(() => app.show())
    await page.evaluate(
      (mode) => app.server.render('order.place', { displayMode: mode, dismissable: false }),
      displayMode,
    )
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await dialog.evaluate((element) => element.addEventListener('close', () => element.setAttribute('data-closed', '')))
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
    expect(await dialog.getAttribute('data-closed')).toBeNull()
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
    expect(await dialog.evaluate((element) => (element as HTMLDialogElement).matches(':modal'))).toBe(true)
    expect(await page.evaluate(() => app.server.received)).toEqual([])
    expect(await barriersOn(page)).toEqual([])
  })
})

test('a sheet is at the bottom, and a fullscreen flow covers everything', async (context) => {
  const page = await tab(context)
  await page.evaluate(() => app.show())
  const sheet = await page.evaluate(() => app.server.render('order.place', { displayMode: 'sheet' }))
  const dialog = page.getByRole('dialog')
  const box = async () => {
    const { x = -1, y = -1, width = 0, height = 0 } = (await dialog.boundingBox()) ?? {}
    return { x, bottom: y + height, width, height }
  }
  await dialog.waitFor()
  expect(await box()).toMatchObject({ x: 0, bottom: 700, width: 1_000 })
  expect((await box()).height).toBeLessThan(600)
  await page.evaluate((id) => app.server.write('intentflow.dismiss', { instanceId: id, reason: 'completed' }), sheet)
  await dialog.waitFor({ state: 'detached' })
  await page.evaluate(() => app.server.render('order.place', { displayMode: 'fullscreen' }))
  await dialog.waitFor()
  expect(await box()).toEqual({ x: 0, bottom: 700, width: 1_000, height: 700 })
})

test('a component of a flow can be tested without a server', async (context) => {
  const page = await tab(context)
  await page.evaluate(() => app.showTest())
  await page.getByText('1 × tea').waitFor()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('alert').getByText('Payment declined.').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.locator('.state', { hasText: 'editing' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByText('2 × tea').waitFor()
  // What was not changed is left as it has become.
  expect(await page.locator('.state').textContent()).toContain('editing')
  expect(await page.evaluate(() => app.watched.dispatched)).toEqual([
    { event: 'CONFIRM', payload: { tip: 1 } },
    { event: 'EDIT' },
  ])
  expect(await problems(page)).toEqual([])
})

describe('on a server', () => {
  test('nothing is shown, so that the browser can take over', () => {
    const client = createFlowClient({ transport: { send: () => new Promise<never>(() => {}) } })
    client.receive({
      type: 'CUSTOM',
      name: 'intentflow.render',
      value: { instanceId: 'flow_1', intentId: 'a.b', props: {}, displayMode: 'inline', seq: 0 },
    })
    expect(client.getSnapshot().flows).toHaveLength(1)
    expect(renderToString(h(FlowProvider, { client, components: {} }, h(FlowHost)))).toBe('')
    client.close()
  })

  test('a component in a test provider is written as it is', () => {
    const Shown = () => `${useFlowState()} ${useRenderContext().isMCP}`
    const given = { state: 'review', platform: 'mcp' as const }
    expect(renderToString(h(FlowTestProvider, given, h(Shown)))).toBe('review true')
  })

  test('a flow that is not there, or no longer, is nothing', () => {
    const gone = h(FlowRenderer, { instanceId: 'flow_gone' })
    expect(renderToString(h(FlowTestProvider, {}, gone, h('p')))).toBe('<p></p>')
  })

  test('a hook outside of a flow says where it belongs', () => {
    const Shown = () => useFlowState()
    expect(() => renderToString(h(Shown))).toThrow('This belongs inside')
  })
})
