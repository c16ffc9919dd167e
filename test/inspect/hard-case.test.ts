import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { webhookHeaders, webhookKey } from '@cool-ai/beach-channel/standard-webhooks'
import { answerTo, postOffice, written } from '@cool-ai/beach-testing/mail'
import type { Locator, Page } from 'playwright-core'
import { expect, test, vi, type TestContext } from 'vitest'
import { until } from '../email/email-context.ts'
import { mailboxServer } from '../email/mailbox-server.ts'
import { hookSecret } from '../replicas/hook-secret.ts'
import { Gate } from '../stop/gate.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'

const front = 'mx.corp.example'
const wide = { width: 1_280, height: 860 }
const low = { width: 860, height: 360 }
const tall = { width: 1_280, height: 1_000 }
const token = 'olga-has-this-token-for-the-inspector'

/** A program that takes callbacks, unless it is out of order. */
async function callbackReceiver({ onTestFinished }: TestContext) {
  const box = { isOutOfOrder: false, taken: 0, url: '' }
  const server = createServer((request, response) => {
    if (!box.isOutOfOrder) box.taken++
    request.resume()
    response.writeHead(box.isOutOfOrder ? 503 : 204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  box.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/answers`
  return box
}

/** Two processes of one agent on one data folder, and everything that is on its other side. */
async function twoProcesses(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'beach-hard-case-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [gate, receiver, office, mailbox] = await Promise.all([
    Gate.open(context),
    callbackReceiver(context),
    postOffice(),
    mailboxServer(),
  ])
  context.onTestFinished(async () => {
    await Promise.all([office.close(), mailbox.close()])
  })
  const variables = {
    GATE: gate.url,
    CALLBACK: receiver.url,
    OPERATOR_TOKEN: token,
    OUTBOUND_PORT: String(office.port),
    IMAP_PORT: String(mailbox.port),
    MAIL_FRONT: front,
  }
  const program = 'test/inspect/hard-case-program.ts'
  const start = () => startServer(context, { program, variables, folder })
  const [first, second] = await Promise.all([start(), start()])
  return { gate, receiver, office, mailbox, first, second }
}

async function askByWebhook({ url }: ServerProcess, text: string) {
  const body = JSON.stringify({ text })
  const signed = webhookHeaders({ id: 'ask-1', timestamp: Math.floor(Date.now() / 1_000), body }, [
    webhookKey(hookSecret),
  ])
  const headers = { 'content-type': 'application/json', ...signed }
  const answer = await fetch(`${url}/webhooks/desk`, { method: 'POST', headers, body })
  expect(answer.status).toBe(202)
}

async function signedIn(context: TestContext, { url }: ServerProcess): Promise<Page> {
  const browser = await newBrowser(context, { viewport: wide })
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`${url}/inspect`)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  return page
}

/** Waits for what the page shows once it has asked again: its clock is turned forward, so that it asks at once. */
async function shows(locator: Locator, state: 'visible' | 'detached' = 'visible'): Promise<void> {
  await vi.waitFor(async () => {
    await locator.page().clock.fastForward(3_000)
    await locator.waitFor({ state, timeout: 250 })
  }, 60_000)
}

type Size = Readonly<Record<'width' | 'height', number>>

/** Saves a picture for the documents, when they are made anew (`npm run screenshots`), in light or dark. */
async function picture(page: Page, name: string, colorScheme: 'light' | 'dark', size: Size) {
  expect(await barriersOn(page), name).toEqual([])
  if (process.env.UPDATE_SCREENSHOTS !== '1') return
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(size)
  const path = fileURLToPath(new URL(`../../docs/screenshots/${name}-desktop-${colorScheme}.png`, import.meta.url))
  await page.screenshot({ path })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
}

/** The short name by which the page calls the process with this process id. */
async function processNamed(page: Page, pid: number): Promise<string> {
  const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: String(pid), exact: true }) })
  return row.getByRole('cell').first().innerText()
}

/** Opens a row of the timeline, and returns what it says. */
async function told(page: Page, kind: string, title: string | RegExp): Promise<string> {
  const row = page
    .locator(`.trow.${kind}`)
    .filter({ has: page.locator('.ttitle', { hasText: title }) })
    .last()
  await row.waitFor()
  if ((await row.getAttribute('open')) === null) await row.locator(':scope > summary').click()
  return `${await row.locator('.outcome').innerText()}\n${await row.locator('.story').innerText()}`
}

test(
  'a research that was killed and taken over, approved by mail, and answered to a receiver that was out of order is told by the inspector alone',
  { timeout: 90_000 },
  async (context) => {
    const { gate, receiver, office, mailbox, first, second } = await twoProcesses(context)
    const page = await signedIn(context, second)
    const go = (name: string) => page.getByRole('link', { name, exact: true }).click()

    // Asked of the first process, which dies in the middle of a slot and of a tool that must not run twice.
    await askByWebhook(first, 'Research Corfu in August')
    await Promise.all([gate.asked('weather'), gate.asked('hold')])
    await go('Processes')
    await shows(page.getByRole('link', { name: 'Research Corfu in August' }))
    const diedPid = first.pid
    const [died, tookOver] = [await processNamed(page, first.pid), await processNamed(page, second.pid)]
    const lease = page.getByRole('region', { name: 'Leases' }).getByRole('row').last()
    expect(await lease.innerText(), 'before the crash').toContain(died)
    await page.getByRole('link', { name: 'Research Corfu in August' }).click()
    await shows(page.locator('.trow', { hasText: 'hold_price' }))
    await first.kill9()
    await shows(page.locator('.trow.host', { hasText: 'Taken over by another process' }))
    await gate.open('weather', '31 degrees')

    // The second process goes on until a person is asked, who has no page: only mail.
    await until(() => office.inbox('manager@office.example').length === 1)
    await go('Approvals')
    await shows(page.getByRole('article', { name: 'Book BA 2043 to Corfu for £187.00' }))
    await picture(page, 'hard-case-approval', 'light', low)
    receiver.isOutOfOrder = true
    const [request] = office.inbox('manager@office.example')
    if (request === undefined) throw new Error('No approver was asked.')
    const letter = { from: 'manager@office.example', messageId: '<yes@office.example>', ...answerTo(request, 'yes') }
    const results = `Authentication-Results: ${front}; dmarc=pass header.from=office.example\r\n`
    mailbox.append(results + (await written(letter)))
    await shows(page.getByText('Nothing waits for your decision.'))

    // The answer cannot be delivered; the operator sees why, and has it sent again when the receiver is back.
    await go('Deliveries')
    await shows(page.getByText('The receiver answered 503.'))
    await page.getByText(/after 3 attempts/).waitFor()
    await picture(page, 'hard-case-deliveries', 'dark', low)
    const taken = receiver.taken
    receiver.isOutOfOrder = false
    await page.getByRole('button', { name: 'Send again' }).click()
    await shows(page.getByText('Every delivery has arrived, or is still tried.'))
    await until(() => receiver.taken === taken + 1)

    // From here on everything is read off the page.
    await go('Processes')
    await page.getByRole('cell', { name: String(second.pid), exact: true }).waitFor()
    await shows(page.getByRole('cell', { name: String(diedPid), exact: true }), 'detached')
    await go('Sessions')
    await page.getByRole('link', { name: /Research Corfu in August/ }).click()
    await page.getByText('The hold is unknown, the booking ET-4521.').waitFor()
    await page.getByRole('tab', { name: 'Timeline' }).click()
    const turn = page.locator('.span')
    await turn.waitFor()
    expect(await turn.count(), 'all of it is one turn').toBe(1)
    expect(await turn.locator('header').innerText()).toContain(`run by ${died}, then ${tookOver}`)
    expect(await told(page, 'host', 'Taken over by another process')).toContain(
      `Process ${died} had left it; process ${tookOver} went on. Running when it was left: slot weather, tool hold_price.`,
    )
    const slots = await told(page, 'work', 'Corfu in August')
    for (const slot of ['flights', 'hotels', 'weather']) expect(slots).toContain(`${slot}: ok, begun at `)
    expect(await told(page, 'tool', 'hold_price')).toMatch(/^unknown\n[^]*must not run twice/)
    expect(await page.locator('.trow.tool', { hasText: 'book' }).locator('.outcome').innerText()).toBe('ok')
    const approval = await told(page, 'approval', 'Book BA 2043')
    expect(approval).toMatch(/Requested of .*smtp:manager@office\.example/)
    expect(approval).toContain('Granted by user manager by mail.')
    const delivery = await told(page, 'delivery', 'To webhook:')
    const story = [1, 2, 3].map((attempt) => `Attempt ${attempt} failed: The receiver answered 503.`)
    const places = [...story, 'Given up: a dead letter.', 'operator olga had it sent again.', 'Sent.'].map((line) =>
      delivery.indexOf(line),
    )
    expect(
      places.every((place, at) => place > (places[at - 1] ?? -1)),
      delivery,
    ).toBe(true)
    expect(delivery).toMatch(/^sent\n/)
    await picture(page, 'hard-case-timeline', 'light', tall)
    await go('Audit')
    await page.getByRole('row', { name: /olga act delivery\.retry/ }).waitFor()
    await page.getByRole('row', { name: /manager .*approval\.decided/ }).waitFor()
    expect(await page.getByRole('row', { name: /olga act approval\.decide/ }).count()).toBe(0)
  },
)
