import { createBeach, defineActor } from '@cool-ai/beach'
import { connect, openSession } from '@cool-ai/beach-client'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { email, emailOriginator } from '@cool-ai/beach-email'
import { whatsApp } from '@cool-ai/beach-phones'
import { localMail, localPhone } from '@cool-ai/beach-testing/local'
import { expect, onTestFinished, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'

const clerk = defineActor(async ({ text, respond, tool }) => {
  if (!text.startsWith('pay')) {
    return respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
  }
  const { outcome } = await tool({ name: 'pay', args: { invoice: 'A1' }, requiresApproval: true }, async () => 'paid')
  await respond({ parts: [{ partType: 'response', text: `Outcome: ${outcome}` }], turnState: 'complete' })
})
const manager = { kind: 'user', id: 'manager', tenant: 'default' } as const
const people = [
  { name: 'Manager', address: 'manager@office.example' },
  { name: 'Anna <b>', address: 'anna@home.example' },
]

async function agentWithPeople(options: { readonly access?: { readonly origins: string[] } } = {}) {
  const mail = localMail(email, { address: 'clerk@office.example', name: 'Clerk', people })
  const phone = localPhone(whatsApp, { people: [{ name: 'Anna', phone: '447700900002' }] })
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { clerk },
    channels: [mail, phone],
    approvals: {
      followUps: [{ afterMs: 1, to: emailOriginator({ address: 'manager@office.example', principal: manager }) }],
    },
    runtime: systemRuntime({ logger: silentLogger }),
    ...options,
  })
  const { url } = await beach.listen({ port: 0, signals: false })
  onTestFinished(async () => beach.close())
  return { url, mail, phone }
}

/** A browser that has opened the link. */
async function opened(link: string) {
  const first = await fetch(link, { redirect: 'manual' })
  expect(first.status).toBe(303)
  const headers = { cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
  const url = new URL(first.headers.get('location') ?? '', link).href
  return {
    url,
    page: async () => (await fetch(url, { headers })).text(),
    statusFrom: async (origin: string) => (await fetch(url, { headers: { ...headers, origin } })).status,
    send: (form: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: new URLSearchParams(form), redirect: 'manual' }),
  }
}

test('a person writes to the agent and reads its answer, in the mailbox of this machine', async () => {
  const { url, mail } = await agentWithPeople()
  const box = await opened(mail.localPage(url).url)
  expect((await box.send({ from: 'anna@home.example', subject: 'Hi', text: 'hello <script>' })).status).toBe(303)
  await expect.poll(() => box.page(), { timeout: 30_000 }).toContain('<pre>You said: Hi\n\nhello &lt;script&gt;')
  expect(await box.page()).not.toContain('hello <script>')
})

test('the mailbox of this machine answers to no page of another origin, though a browser sends it the cookie', async () => {
  const { url, mail } = await agentWithPeople({ access: { origins: ['http://127.0.0.1:5173'] } })
  const box = await opened(mail.localPage(url).url)
  expect(await box.statusFrom(new URL(url).origin)).toBe(200)
  expect(await box.statusFrom('http://127.0.0.1:5173')).toBe(403)
})

test('an approver is asked by mail, and answers in the mailbox, in a browser', async (context) => {
  const { url, mail } = await agentWithPeople()
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  await page.goto(mail.localPage(url).url)
  await page.getByText('No mail yet.').waitFor()
  await page.getByLabel('Text').fill('A mail that I am writing.')
  const conversation = connect({ ...(await openSession({ url })), url })
  onTestFinished(() => conversation.close())
  await conversation.send('pay')
  await page.getByText('Answer', { exact: true }).click()
  expect(await page.getByText('No mail yet.').count()).toBe(0)
  expect(await page.getByLabel('Text').inputValue()).toBe('A mail that I am writing.')
  await page.getByLabel('Answer').fill('yes')
  await page.locator('details').getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => JSON.stringify(conversation.snapshot.parts), { timeout: 30_000 }).toContain('Outcome: ok')
})

test('a person writes on the phone of this machine, in a browser', async (context) => {
  const { url, phone } = await agentWithPeople()
  const browser = await newBrowser(context)
  const page = await browser.newPage()
  await page.goto(phone.localPage(url).url)
  await page.getByRole('textbox').first().fill('hello')
  await page.getByRole('button', { name: 'Send' }).first().click()
  await page.getByText('You said: hello').waitFor()
  await page.getByRole('textbox').first().fill('pay')
  await page.getByRole('button', { name: 'Send' }).first().click()
  const approve = page.getByRole('button', { name: 'Approve' })
  await approve.waitFor()
  expect(await page.getByText('Approve').count(), 'a button is not in the text too').toBe(1)
  await approve.click()
  await page.getByText('Outcome: ok').waitFor()
})

test('a request without the link neither reads nor writes, and a wrong form is reported', async () => {
  const { url, mail } = await agentWithPeople()
  expect((await fetch(`${url}/local/mailbox`)).status).toBe(403)
  expect((await fetch(`${url}/local/mailbox?key=wrong`)).status).toBe(403)
  expect((await fetch(`${url}/local/mailbox`, { method: 'POST', body: 'text=hello' })).status).toBe(403)
  const box = await opened(mail.localPage(url).url)
  const refused = await box.send({ from: 'nobody@home.example', text: 'x' })
  expect(refused.status).toBe(422)
  expect(await refused.text()).toContain('role="alert"')
})
