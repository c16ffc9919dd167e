import type { Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { startAgent } from '../agui/agent.ts'
import { newBrowser } from '../support/browser.ts'
import { tableFlows } from './shop-flows.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }

test('a flow that was begun elsewhere is completed by its link, in a browser that has been here before', async (context) => {
  const made = tableFlows({ publicUrl: 'http://unused.example' })
  const page = () => new Response('<p>home</p>', { headers: { 'content-type': 'text/html' } })
  const { url, beach } = await startAgent({ ...made.beach, page })
  const session = await beach.sessions.open({ principal: alex })
  const tools = made.flows.mcpTools()
  const opened = (await tools
    .find(({ name }) => name === 'table__book')
    ?.handler(
      { guests: 4 },
      {
        key: 'k',
        signal: new AbortController().signal,
        session: await beach.sessions.view(session, alex),
        emit: async () => {},
      },
    )) as { link: string }
  const browser = await newBrowser(context)
  const phone = await browser.newPage()
  await phone.goto(`${url}/`)
  expect(await browser.cookies(url)).not.toEqual([])
  await phone.goto(url + new URL(opened.link).pathname)
  expect(await phone.locator('h1').innerText()).toBe('Book a table')
  expect(await phone.locator('script').count()).toBe(0)
  await phone.getByLabel('Name').fill('Alex')
  await phone.getByLabel('Area').selectOption('terrace')
  await phone.getByLabel('Is birthday').check()
  await phone.getByRole('button', { name: 'Book it' }).click()
  // The page looks again by itself while the booking is under way.
  await phone.getByText('This is done.').waitFor()
  expect(made.booked).toEqual([{ name: 'Alex', area: 'terrace', isBirthday: true }])
})
