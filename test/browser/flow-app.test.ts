import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { everyFieldAgent, hostileText } from '../intentflow/every-field.ts'
import { connect, newToken, startConcierge } from '../mcp/support.ts'
import { startServer } from '../support/server-process.ts'
import { openMcpHost } from './mcp-host.ts'

/** Saves a picture in the folder that SCREENSHOTS names, if it names one. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

test.for(['known by a token', 'a guest'])(
  'a user who is %s orders in a host of MCP Apps: changes the tip, confirms, and sees it confirmed',
  async (who, context) => {
    const server = await startServer(context, { program: 'examples/coffee/start.mjs' })
    const token = who === 'a guest' ? {} : { token: await newToken(server.url) }
    const client = await connect(new URL('/mcp', server.url), 'modern', token)
    const { app, calls, logged, page, show, reported } = await openMcpHost(context, client, 'order__place')
    const opened = await client.callTool({
      name: 'order__place',
      arguments: { items: [{ name: 'flat white', quantity: 2 }] },
    })
    await show(opened)
    const main = app.locator('main')
    await app.getByRole('heading', { name: 'Your order at Main Street' }).waitFor()
    await main.getByText('Total $7.80').waitFor()
    await picture(page, 'flow-app-1-review')

    await app.getByRole('spinbutton', { name: 'Tip in dollars' }).fill('-3')
    await app.getByRole('button', { name: 'Change the tip' }).click()
    await app.locator('.state').filter({ hasText: /tip/i }).waitFor()
    // What was filled in stays to be corrected.
    await app.getByRole('spinbutton', { name: 'Tip in dollars' }).fill('3')
    await app.getByRole('button', { name: 'Change the tip' }).click()
    await main.getByText('Total $10.80').waitFor()
    expect(await app.getByRole('heading').count()).toBe(1)

    await app.getByRole('button', { name: 'Place order' }).click()
    await app.getByRole('heading', { name: 'Place order?' }).waitFor()
    await main.getByText('Tip: 3').waitFor()
    await picture(page, 'flow-app-2-confirm')
    await app.getByRole('button', { name: 'Back' }).click()
    await main.getByText('Total $10.80').waitFor()
    await app.getByRole('button', { name: 'Place order' }).click()
    await app.getByRole('heading', { name: 'Place order?' }).waitFor()
    await app.getByRole('button', { name: 'Place order' }).click()
    await main.getByText(/^Confirmation number: CF-\d{5}$/).waitFor()
    await main.getByText('This is done. There is nothing more to do here.').waitFor()
    expect(await app.getByRole('button').count()).toBe(0)
    await picture(page, 'flow-app-3-confirmed')

    expect(calls.map(({ name }) => name)).toEqual([
      'flow_event',
      'flow_event',
      'flow_event',
      'flow_get',
      'flow_event',
      'flow_confirm',
    ])
    await expect.poll(reported).toHaveLength(3)
    expect((await reported()).at(-1)).toMatch(/Place an order \(confirmed\)[\s\S]*CF-\d{5}/)
    // A confirmation is for the person, and good once.
    expect(JSON.stringify(await reported())).not.toContain('confirm_')
    const again = calls.at(-1)
    const { structuredContent } = await client.callTool({ name: 'flow_confirm', ...again })
    expect(structuredContent).toMatchObject({ status: 'failed' })
    expect(logged).toEqual([])
  },
)

test('a card that is declined, another one, and a flow within the flow', async (context) => {
  const server = await startServer(context, { program: 'examples/coffee/start.mjs' })
  const client = await connect(new URL('/mcp', server.url), 'modern', { token: await newToken(server.url) })
  const { app, logged, page, show } = await openMcpHost(context, client, 'order__place')
  await show(await client.callTool({ name: 'order__place', arguments: { items: [{ name: 'espresso' }] } }))
  await app.getByRole('button', { name: 'One more: Espresso' }).click()
  await app.locator('main').getByText('2 × Espresso').waitFor()
  await app.getByRole('radio', { name: 'Mastercard ••0002' }).check()
  await app.getByRole('button', { name: 'Place order' }).click()
  await app.getByRole('heading', { name: 'Place order?' }).waitFor()
  // It is said as it is going to be.
  await app.locator('main').getByText('by Mastercard ••0002').waitFor()
  await app.getByRole('button', { name: 'Place order' }).click()
  await app.getByRole('button', { name: 'Use this card' }).waitFor()
  expect(
    await app
      .locator('main')
      .getByText(/declined/i)
      .count(),
  ).toBeGreaterThan(0)
  await picture(page, 'flow-app-4-declined')
  await app.getByRole('button', { name: 'Change payment' }).click()
  await app.getByRole('heading', { name: 'Change payment' }).waitFor()
  await picture(page, 'flow-app-5-within')
  await app.getByRole('radio', { name: 'Visa' }).check()
  await app.getByRole('textbox', { name: 'Last4' }).fill('4321')
  await app.getByRole('textbox', { name: 'Expires' }).fill('12/30')
  await app.getByRole('button', { name: 'Add a card' }).click()
  await app.getByRole('radio', { name: 'Visa ••4321' }).waitFor()
  expect(await app.getByRole('radio', { name: 'Visa ••4321' }).isChecked()).toBe(true)
  expect(logged).toEqual([])
})

test('fields of every kind are filled in, and hostile texts are texts', async (context) => {
  const made = everyFieldAgent()
  const { url, serving } = await startConcierge(made.beach)
  const client = await connect(url, 'modern', { token: await newToken(serving.url) })
  const { app, logged, page, show } = await openMcpHost(context, client, 'form__fill')
  const opened = await client.callTool({ name: 'form__fill', arguments: { about: hostileText } })
  await show(opened)
  const main = app.locator('main')
  await app.getByRole('heading', { name: 'Fill <b>this</b> in' }).waitFor()
  for (const line of hostileText.split('\n')) expect(await main.getByText(line, { exact: true }).count()).toBe(1)
  expect(await app.getByRole('link').count()).toBe(0)
  expect(await app.locator('img').count()).toBe(0)
  await picture(page, 'flow-app-6-fields')

  // Not enabled, and yet it says why.
  await app.getByRole('button', { name: 'Send it' }).click({ force: true })
  await main.getByText('Name is needed.').first().waitFor()
  await app.getByRole('textbox', { name: 'Name', exact: true }).fill('Alex')
  await app.getByRole('spinbutton', { name: 'Count (optional)' }).fill('4')
  await app.getByRole('checkbox', { name: 'Is new' }).check()
  await app.getByRole('radio', { name: 'large' }).check()
  await app.getByRole('radio', { name: '</script>' }).check()
  await app.getByRole('radio', { name: '2', exact: true }).check()
  await app.getByRole('button', { name: 'Send it' }).click()
  await page.waitForFunction(
    () => (globalThis as unknown as { host: { reported: string[] } }).host.reported.length === 1,
  )
  const { instanceId } = opened.structuredContent as { instanceId: string }
  const [id = '', session = ''] = instanceId.split('@')
  expect((await made.flows.active(session))[id]?.context).toEqual({
    amount: 2.5,
    sent: {
      kind: 'form',
      name: 'Alex',
      amount: 2.5,
      count: 4,
      isNew: true,
      isGift: false,
      size: 'large',
      'odd name/with ~ all': '</script>',
      level: 2,
      city: 'Bath',
    },
  })
  await app.getByRole('button', { name: 'Dismiss' }).click()
  await main.getByText('This was cancelled.').waitFor()
  expect(await page.title()).toBe('A host of MCP Apps')
  expect(logged).toEqual([])
})
