import { createBeach, defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { api, client, program, stockProvider } from '../identity/real-provider.ts'
import { newBrowser } from '../support/browser.ts'

const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
})

async function started() {
  const provider = await stockProvider()
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { echo },
    inspect: true,
    runtime: systemRuntime({ logger: silentLogger }),
    access: {
      oidc: {
        issuer: provider.issuer,
        clientId: client.id,
        clientSecret: client.secret,
        audience: api,
        principalOf: ({ sub }) => (sub === undefined ? undefined : { id: sub }),
        rolesOf: ({ groups }) => groups,
      },
    },
  })
  onTestFinished(() => beach.close())
  const { url } = await beach.listen({ port: 0, signals: false })
  await provider.knows(url)
  return { url, issuer: provider.issuer, beach }
}

/** What a person does at the provider: name, password, consent. */
async function signInAt(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** By the cookies of a page's browser. */
const statusOf = async (page: Page, at: string) =>
  (await page.request.get(at, { headers: { accept: 'application/json' } })).status()

test('a person signs in at a stock provider, talks to the agent, and signs out here and there', async (context) => {
  const { url, issuer } = await started()
  const page = await (await newBrowser(context)).newPage()
  await page.goto(url)
  expect(page.url().startsWith(`${issuer}/interaction/`)).toBe(true)
  await signInAt(page, 'approver-anna')
  await page.waitForURL(`${url}/`)
  await page.reload()
  const box = page.getByRole('textbox').first()
  await box.fill('hello')
  await box.press('Enter')
  await page.getByText('You said: hello', { exact: true }).waitFor()
  await page.goto(`${url}/approvals`)
  await page.getByText('Nothing waits for your decision.').waitFor()
  expect(await statusOf(page, `${url}/inspect/api/me`)).toBe(403)

  await page.goto(url)
  await page.getByRole('link', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL((at) => at.origin === issuer)
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  // Back at the agent, which sends the browser to the provider; that has forgotten them, too.
  await page.locator('input[name=login]').waitFor()
  expect(page.url().startsWith(`${issuer}/interaction/`)).toBe(true)
})

test('an operator signs in to the inspector with as much of it as their role has', async (context) => {
  const { url } = await started()
  const visit = async (name: string) => {
    const page = await (await newBrowser(context)).newPage()
    await page.goto(`${url}/inspect/`)
    await signInAt(page, name)
    await page.waitForURL(`${url}/inspect/**`)
    return page
  }
  const chat = await (await newBrowser(context)).newPage()
  await chat.goto(url)
  await signInAt(chat, 'nobody-else')
  await chat.waitForURL(`${url}/`)
  const box = chat.getByRole('textbox').first()
  await box.fill('hello there')
  await box.press('Enter')
  await chat.getByText('You said: hello there', { exact: true }).waitFor()

  for (const [name, says, buttons] of [
    ['reader-ben', 'reader-ben (looks only)', []],
    ['operator-cem', 'operator-cem', ['Replay']],
    ['admin-dora', 'admin-dora', ['Replay', 'Export', 'Erase']],
  ] as const) {
    const page = await visit(name)
    await page.getByText(says, { exact: false }).waitFor()
    await page.getByText('hello there').first().click()
    await page
      .getByRole('tab', { name: 'Timeline' })
      .or(page.getByRole('link', { name: 'Timeline' }))
      .first()
      .waitFor()
    const actions = await page.locator('.actions').locator('a, button').allInnerTexts()
    expect(actions.filter((label) => ['Replay', 'Export', 'Erase'].includes(label)).toSorted(), name).toEqual(
      [...buttons].toSorted(),
    )
  }
})

test('the end of the session at the provider ends it at the agent', async (context) => {
  const { url, issuer } = await started()
  const page = await (await newBrowser(context)).newPage()
  await page.goto(url)
  await signInAt(page, 'approver-anna')
  await page.waitForURL(`${url}/`)
  expect(await statusOf(page, `${url}/approvals`)).toBe(200)
  await page.goto(`${issuer}/session/end`)
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(/session\/end\/success/)
  await expect.poll(() => statusOf(page, `${url}/approvals`)).toBe(401)
})

test('a program calls with an access token that a stock provider made for the agent', async () => {
  const { url, issuer } = await started()
  const basic = Buffer.from(`${program.id}:${encodeURIComponent(program.secret)}`).toString('base64')
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: api, scope: 'orders:read' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  const opened = await fetch(`${url}/sessions`, { method: 'POST', headers })
  expect(opened.status).toBe(201)
  expect((await fetch(`${url}/sessions`, { method: 'POST' })).status).toBe(401)
})
