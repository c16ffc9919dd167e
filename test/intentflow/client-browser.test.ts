import type * as Beach from '@cool-ai/beach-client'
import type * as Flows from '@intentflow/core/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../client/bundle.ts'
import { newBrowser } from '../support/browser.ts'
import { startShop } from './client-context.ts'

declare const flows: typeof Flows
declare const beach: typeof Beach

let code = ''
beforeAll(async () => {
  const imports = `import * as flows from '@intentflow/core/client'\nimport * as beach from '@cool-ai/beach-client'`
  code = (await bundle(`${imports}\nObject.assign(globalThis, { flows, beach })`)).code
})

function page(path: string): Response | undefined {
  if (path === '/app.js') return new Response(code, { headers: { 'content-type': 'text/javascript' } })
  const html = '<!doctype html><title>x</title><script type="module" src="/app.js"></script>'
  return path === '/' ? new Response(html, { headers: { 'content-type': 'text/html' } }) : undefined
}

describe.each(['post', 'socket', 'session'] as const)('in a browser, by %s', (way) => {
  test('an order is placed, over a network that goes away and comes back', async (context) => {
    const { url } = await startShop({ page })
    const browser = await newBrowser(context)
    const opened = await browser.newPage()
    opened.setDefaultTimeout(30_000)
    await opened.goto(url)
    await opened.waitForFunction(() => 'flows' in globalThis && 'beach' in globalThis)
    await opened.evaluate(async (kind) => {
      const threadId = 'a-thread-of-this-test'
      const transport =
        kind === 'post'
          ? flows.postTransport({ threadId })
          : kind === 'socket'
            ? flows.socketTransport({ threadId })
            : flows.sessionTransport(beach.connect(await beach.openSession()))
      const client = flows.createFlowClient({ transport })
      Object.assign(globalThis, { client })
      await client.invoke('order.place', { item: 'cocoa' })
    }, way)
    const shown = () =>
      opened.waitForFunction(() => {
        const { client } = globalThis as unknown as { client: Flows.FlowClient }
        return client.getSnapshot().flows[0]
      })
    expect(await (await shown()).jsonValue()).toMatchObject({ state: 'review', props: { items: [{ name: 'cocoa' }] } })
    await browser.setOffline(true)
    const placed = opened.evaluate(() => {
      const { client } = globalThis as unknown as { client: Flows.FlowClient }
      const { instanceId = '' } = client.getSnapshot().flows[0] ?? {}
      const done = client.dispatch(instanceId, { event: 'CONFIRM', payload: { card: '4242' } })
      Object.assign(globalThis, { done })
      return client.getSnapshot().waiting
    })
    expect(await placed).toBe(1)
    await browser.setOffline(false)
    const result = await opened.evaluate(() => (globalThis as unknown as { done: Promise<Flows.EventResult> }).done)
    // A WebSocket that is there lives on without a network here, so both may be.
    expect(['applied', 'duplicate']).toContain(result.status)
    await opened.waitForFunction(() => {
      const { client } = globalThis as unknown as { client: Flows.FlowClient }
      return client.getSnapshot().flows.length === 0
    })
  })
})
