import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openData } from '@cool-ai/beach'
import { evaluate, KeptEvaluations, readEvaluations } from '@cool-ai/beach/evaluations'
import type { Page } from 'playwright-core'
import { systemClock, type Store } from '@cool-ai/beach-core'
import { expect, test, vi, type TestContext } from 'vitest'
import { SessionIndex } from '../../packages/inspect/src/listing/session-index.ts'
import { openedRow } from '../../packages/inspect/src/listing/session-row.ts'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { clerkActor, inspected } from './inspect-context.ts'

const slow = { timeout: 60_000 }

/** The inspector of an agent with a few sessions, open in a browser by the link of the start. */
async function open(
  context: TestContext,
  options: Parameters<typeof newBrowser>[1] = {},
  made: Parameters<typeof inspected>[0] = {},
) {
  const agent = await inspected(made)
  const browser = await newBrowser(context, { viewport: { width: 1_280, height: 800 }, ...options })
  const page = await browser.newPage()
  // So that tests need not wait until the page asks again: they turn its clock forward.
  await page.clock.install()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const first = await agent.talk()
  await first.say('price of tea')
  await first.say('What else do you have?')
  agent.box.refuses = true
  const second = await agent.talk({ kind: 'user', id: 'bert', tenant: 'default' })
  await second.say('pay 5')
  await page.goto(agent.beach.inspectLink(agent.url) ?? '')
  await page.getByRole('link', { name: /price of tea/ }).waitFor()
  return { ...agent, browser, page, problems, first, second }
}

/** Rows of sessions as the inspector keeps them, a second apart, the oldest with the highest number. */
async function listSessions(store: Store, count: number) {
  const index = new SessionIndex(store, systemClock)
  const payload = { owner: { kind: 'user', id: 'many', tenant: 'default' } } as const
  const now = Date.now()
  const put = async (n: number) => {
    const event = {
      type: 'sessionOpened',
      tenant: 'default',
      payload,
      id: `ev_${n}`,
      v: 1,
      at: now - n * 1_000,
    } as const
    const row = openedRow(`sess_many${n}`, { seq: 1, event })
    if (row !== undefined) await index.put({ ...row, title: `number ${n} costs` }, undefined)
  }
  // Together, so that they are written together.
  for (let n = 0; n < count; n += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - n) }, (_, offset) => put(n + offset)))
  }
  await store.bind('inspect:swept', 'done')
}

/** Saves a picture for the documents, when they are made anew (`npm run screenshots`). */
async function picture(page: Page, name: string) {
  if (process.env.UPDATE_SCREENSHOTS !== '1') return
  await page.screenshot({ path: fileURLToPath(new URL(`../../docs/screenshots/${name}.png`, import.meta.url)) })
}

async function clean(page: Page, where: string) {
  expect(await barriersOn(page), where).toEqual([])
}

test(
  'an operator follows a session through all of its views, decides a request and sends a dead letter again',
  slow,
  async (context) => {
    const { page, problems, first, box, ask } = await open(context)
    expect(page.url(), 'the token is not in the address').not.toContain('token')
    await clean(page, 'sessions')
    await page.getByRole('link', { name: /price of tea/ }).click()
    await page.getByText('You said: What else do you have?.').waitFor()
    await clean(page, 'conversation')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    const call = page.locator('summary', { hasText: 'look_up' })
    await call.waitFor()
    await call.click()
    await page.getByText('"price"').or(page.getByText('price:')).first().waitFor()
    await picture(page, 'inspect-timeline-desktop-light')
    await page.locator('summary', { hasText: 'scripted' }).first().click()
    await page
      .getByText(/first token after/)
      .first()
      .waitFor()
    await clean(page, 'timeline')
    await page.getByRole('tab', { name: 'Events' }).click()
    await page.getByRole('heading', { name: /deliverySent|turnSettled|deliveryQueued/ }).waitFor()
    const slider = page.getByRole('slider', { name: 'Place in the log' })
    await slider.focus()
    await slider.press('Home')
    await page.getByRole('heading', { name: /sessionOpened/ }).waitFor()
    await page.getByText('session before').waitFor()
    await slider.press('ArrowRight')
    await page.getByRole('heading', { name: /originatorJoined/ }).waitFor()
    await clean(page, 'events')
    await slider.press('End')
    await page.getByRole('heading', { name: /deliverySent/ }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'inspect-events-desktop-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('tab', { name: 'Listeners' }).click()
    await page
      .getByText(/The rule of 'response' for buffered listeners/)
      .first()
      .waitFor()
    const tops = await page
      .locator('.side')
      .evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect().top))
    expect([tops.length > 1, new Set(tops).size], 'all in one row').toEqual([true, 1])
    await clean(page, 'listeners')
    await page.getByRole('tab', { name: 'State' }).click()
    await page.getByRole('heading', { name: 'Coordinates' }).waitFor()
    await clean(page, 'state')
    await page.getByRole('tab', { name: 'Replay' }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/The same log again: 2 turns/).waitFor()
    await clean(page, 'replay')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.span').last().getByRole('link', { name: 'Replay' }).click()
    await page.getByLabel('With other instructions').check()
    await page.getByLabel('Instructions', { exact: true }).fill('You are a pirate.')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('status').waitFor()
    await clean(page, 'replay of a turn')
    await page.getByRole('link', { name: 'Approvals' }).click()
    const request = page.getByRole('article', { name: 'Pay £5' })
    await request.getByText('high risk').waitFor()
    expect(await request.getByRole('definition').allInnerTexts(), 'details and arguments').toEqual(['Acme', '5'])
    await request.getByLabel(/Reason/).fill('agreed')
    await clean(page, 'approvals')
    await request.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Nothing waits for your decision.').waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('The box is full.').first().waitFor()
    await clean(page, 'deliveries')
    box.refuses = false
    const again = page.getByRole('button', { name: 'Send again' })
    while ((await again.count()) > 0) {
      const left = await again.count()
      await again.first().click()
      await vi.waitFor(async () => expect(await again.count()).toBeLessThan(left))
    }
    expect(box.sent).toBeGreaterThan(0)
    for (const name of ['Processes', 'Metrics', 'Audit']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.getByRole('region').or(page.getByRole('img')).first().waitFor()
      await clean(page, name)
    }
    await page.getByRole('cell', { name: 'approval.decide', exact: true }).waitFor()
    await page.getByRole('cell', { name: /^agent: .* · version: .* · channels: / }).waitFor()
    const { items } = (await ask(`sessions/${first.id}/events?types=messageReceived`)).body
    expect(items).toHaveLength(2)
    expect(problems).toEqual([])
  },
)

test(
  'a turn that waits shows what each listener has got so far, and the state what there is of flows now',
  slow,
  async (context) => {
    const flow = { intentId: 'order.place', state: 'review' }
    const ended = [{ ...flow, instanceId: 'flow_2', state: 'confirmed', reason: 'completed', at: 1 }]
    const shop = {
      ns: 'shop',
      version: 1,
      initial: { flows: { flow_1: flow }, ended },
      fold: (state: unknown) => state,
    }
    const { page, second } = await open(context, {}, { slices: [shop] })
    await page.goto(`${new URL(page.url()).origin}/inspect/#/sessions/${second.id}/listeners`)
    const web = page.locator('.side', { hasText: 'reads the stream' })
    await web.getByRole('heading', { name: 'What it has got so far' }).waitFor()
    expect(await web.locator('.got .kind').allInnerTexts()).toEqual(['approval-request', 'a2ui-surface'])
    const post = page.locator('.side', { hasText: 'answers are sent to it' })
    expect(await post.locator('.got .kind').allInnerTexts()).toEqual(['approval-request'])
    await page.getByRole('tab', { name: 'State' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: /order\.place\s+review.* open/ })
      .waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: /order\.place\s+confirmed.* ended: completed/ })
      .waitFor()
    await page.getByRole('group').filter({ hasText: 'shop' }).locator('summary').click()
    await page.getByRole('button', { name: 'flows {1}' }).waitFor()
    await clean(page, 'state with flows')
  },
)

test('evaluations: their results over time and case by case, and one made of a session', slow, async (context) => {
  const data = await openData({ folder: '', store: 'memory' })
  const { page, problems, first } = await open(context, {}, { data })
  await page.getByRole('link', { name: 'Evaluations', exact: true }).click()
  await page.getByText('No results yet.').waitFor()
  const evaluations = readEvaluations(
    'name: tells a price\nturns: [{ say: price of tea, expect: { tools: [look_up] } }]\n---\n' +
      'name: sings\nturns: [{ say: sing, expect: { text: La la la } }]',
    'evaluations/clerk.yaml',
  )
  const agent = { agent: { id: 'clerk', name: 'Clerk' }, actors: { clerk: clerkActor() } }
  const variants = { polite: { instructions: 'Be polite.' }, brief: { instructions: 'Be brief.' } }
  const kept = new KeptEvaluations(data.store, 'default')
  for (let run = 0; run < 3; run++) await kept.keep(await evaluate({ agent, evaluations, variants, runs: 2 }))
  await page.clock.fastForward(5_000)
  await page
    .getByRole('link', { name: /polite: 1 of 2 · brief: 1 of 2/ })
    .first()
    .waitFor(slow)
  await page.getByRole('img', { name: /Runs that pass: at most 50%/ }).waitFor()
  await clean(page, 'evaluations')
  await page
    .getByRole('link', { name: /polite: 1 of 2/ })
    .first()
    .click()
  await page.getByRole('row', { name: /sings failed 0\/2 failed 0\/2/ }).waitFor()
  await page.getByText('“La la la” is not in the text, which is “You said: sing.”.').first().waitFor()
  await clean(page, 'an evaluation')
  await picture(page, 'inspect-evaluations-desktop-light')
  // However long the name of its file is, a case is no wider than a small phone.
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 700 })
  const one = page.locator('.case').first()
  await one
    .locator('.muted')
    .first()
    .evaluate((file) => (file.textContent = 'evaluations/'.repeat(6)))
  const { x = 0, width = 999 } = (await one.boundingBox()) ?? {}
  expect(x + width).toBeLessThanOrEqual(320)
  if (before !== null) await page.setViewportSize(before)
  await page.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('button', { name: /press again/ }).click()
  await page.getByRole('heading', { name: 'Evaluations' }).waitFor()
  await vi.waitFor(async () => expect(await page.locator('.report').count()).toBe(2), 10_000)

  await page.goto(`${new URL(page.url()).origin}/inspect/#/sessions/${first.id}`)
  await page.getByRole('button', { name: 'Make an evaluation' }).click()
  const text = page.getByRole('textbox', { name: 'The evaluation in YAML' })
  await text.waitFor()
  expect(readEvaluations(await text.inputValue(), 'session.yaml')).toMatchObject([
    { turns: [{ say: 'price of tea' }, {}] },
  ])
  await clean(page, 'an evaluation of a session')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('session.yaml')
  expect(problems).toEqual([])
})

test('new sessions appear by themselves, and the search finds words of messages', slow, async (context) => {
  const { page, talk } = await open(context)
  const third = await talk()
  await third.say('a lighthouse')
  await page.clock.fastForward(3_000)
  await page.getByRole('link', { name: /a lighthouse/ }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('lighth')
  await vi.waitFor(async () => expect(await page.locator('.srow').count()).toBe(1), 5_000)
  await page.getByLabel('Search').fill('no such words')
  await page.getByText('No session fits these filters.').waitFor()
})

test(
  'a search goes on past the rows of one request, keeps what it has found, and stops to ask after many',
  slow,
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-inspect-'))
    const data = await openData({ folder })
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await listSessions(data.store, 21_000)
    const { page } = await open(context, {}, { data })
    await page.getByLabel('Search').fill('number 12345 costs')
    await page.getByRole('link', { name: /number 12345 costs/ }).waitFor()
    await page.getByText('1 session so far.').waitFor()
    const asked = page.waitForResponse(/sessions\?q=number/)
    await page.clock.fastForward(3_000)
    await (await asked).finished()
    expect(await page.getByRole('link', { name: /number 12345 costs/ }).count(), 'after the list was read again').toBe(
      1,
    )
    await clean(page, 'a search that has stopped')
    await page.getByLabel('Search').fill('number 20999 costs')
    await page.getByText('0 sessions so far.').waitFor()
    await page.getByRole('button', { name: 'Look among earlier ones' }).click()
    await page.getByRole('link', { name: /number 20999 costs/ }).waitFor()
  },
)

test('more requests than one page has are read on', slow, async (context) => {
  const { page, beach, ask } = await open(context)
  const anna = { kind: 'user', id: 'anna', tenant: 'default' } as const
  const from = { id: 'web:anna', transport: 'sse', deliveryClass: 'streaming', principal: anna } as const
  for (let n = 0; n < 101; n++) {
    const id = await beach.sessions.open({ principal: anna })
    const parts = [{ text: `pay ${1_000 + n}`, metadata: { partType: 'message' } }]
    await beach.sessions.post(id, { parts, from }, anna)
  }
  await vi.waitFor(async () => {
    const first = (await ask('approvals?limit=100')).body
    expect((await ask(`approvals?limit=100&after=${encodeURIComponent(first.next)}`)).body.items).toHaveLength(2)
  }, 20_000)
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByRole('button', { name: 'Later requests' }).click()
  await vi.waitFor(async () => expect(await page.getByRole('article').count()).toBe(102), 10_000)
  expect(await page.getByRole('button', { name: 'Later requests' }).count()).toBe(0)
})

test('works at phone width, in the dark, with nothing wider than the screen', slow, async (context) => {
  const { page, problems, first } = await open(context, { viewport: { width: 375, height: 700 }, colorScheme: 'dark' })
  const place = `#/sessions/${first.id}`
  for (const path of [
    '#/evaluations',
    '#/sessions',
    place,
    `${place}/timeline`,
    `${place}/events`,
    `${place}/listeners`,
    `${place}/state`,
    `${place}/replay`,
    '#/metrics',
    '#/audit',
    '#/processes',
  ]) {
    await page.evaluate((hash) => (location.hash = hash), path)
    await page.getByRole('main').waitFor()
    await vi.waitFor(async () => expect(await page.getByText('Loading…').count()).toBe(0))
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(wide, path).toBeLessThanOrEqual(375)
    // The rows of pages and of tabs are wider than the screen: the chosen ones are in view.
    await vi.waitFor(async () => {
      for (const chosen of await page.locator('nav [aria-current], [role=tab][aria-selected=true]').all()) {
        const { x = -1, width = 0 } = (await chosen.boundingBox()) ?? {}
        expect([x >= 0, x + width <= 375], `${path}: ${await chosen.innerText()}`).toEqual([true, true])
      }
    })
    await clean(page, path)
  }
  expect(problems).toEqual([])
})

test('without a cookie the page asks for a token and shows nothing', slow, async (context) => {
  const { browser, url } = await open(context)
  await browser.clearCookies()
  const page = await browser.newPage()
  await page.goto(`${url}/inspect`)
  await page.getByLabel('Token').fill('x'.repeat(40))
  await clean(page, 'sign in')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No operator has this token.').waitFor()
})
