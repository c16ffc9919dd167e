import { describe, expect, it } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'
import { exampleAgent } from './example-agent.ts'
import { elsewhere, oddAgent, surfaceMessages } from './odd-agent.ts'

const url = exampleAgent(oddAgent)

/** Opens a page and keeps what it asks of other servers. */
async function open(test: Parameters<typeof newBrowser>[0]) {
  const browser = await newBrowser(test)
  const asked: string[] = []
  browser.on('request', (request) => {
    if (!request.url().startsWith(url())) asked.push(request.url())
  })
  const chat = await ChatPage.open(browser, url())
  const hacked = () => chat.page.evaluate(() => 'hacked' in globalThis || 'polluted' in {})
  return { chat, page: chat.page, asked, hacked }
}

describe.concurrent('whatever an agent says', () => {
  it('Markdown runs nothing, loads nothing and leads to nothing but other sites', async (test) => {
    const { chat, page, asked, hacked } = await open(test)
    await chat.say('markdown')
    await chat.settled(1)
    const answer = page.locator('.response')
    expect(await answer.locator('script, img, svg, style, form, button, input, iframe').count()).toBe(0)
    const links = await answer.locator('a').evaluateAll((nodes) =>
      nodes.map((node) => {
        const { href, target, rel, title } = node as HTMLAnchorElement
        return { href, target, rel, title, attributes: node.getAttributeNames().toSorted().join(' ') }
      }),
    )
    expect(new Set(links.map(({ href }) => new URL(href).protocol))).toEqual(new Set(['http:', 'https:']))
    for (const { href, target, rel, title, attributes } of links) {
      expect({ target, rel, title, attributes }).toEqual({
        target: '_blank',
        rel: 'noopener noreferrer',
        title: href,
        attributes: 'href rel target title',
      })
    }
    expect(links.map(({ href }) => href)).toEqual([
      'https://evil.example/',
      `${elsewhere}/pixel.png?secret=1`,
      `${elsewhere}/a.png`,
      'https://example.com/page',
      'https://example.com/plain',
      'https://example.com/bare',
      'https://example.com/',
    ])
    expect(await answer.innerText(), 'HTML is text').toContain('<script>window.hacked = 1</script>')
    expect(await answer.locator('[class]:not(.prose), [style], [id]').count()).toBe(0)
    expect(await page.locator('.dock .compose').isVisible()).toBe(true)
    expect({ asked, hacked: await hacked(), errors: chat.errors }).toEqual({ asked: [], hacked: false, errors: [] })
    expect((await chat.seen()).violations).toEqual([])
  })

  it('Markdown that means something is shown as what it means', async (test) => {
    const { chat, page } = await open(test)
    await chat.say('prose')
    await chat.settled(1)
    const answer = page.locator('.response')
    const found = await answer.evaluate((node) =>
      [...node.querySelectorAll('.prose *')].map(({ localName }) => localName),
    )
    expect(new Set(found)).toEqual(
      new Set(['div', 'h3', 'p', 'em', 'code', 'ol', 'li', 'table', 'thead', 'tr', 'th', 'tbody', 'td', 'pre']),
    )
  })

  it('a card that only looks like a decision is not one, and decides nothing', async (test) => {
    const { chat, page, asked, hacked } = await open(test)
    await chat.say('pay')
    const real = page.locator('.dock .approval')
    await real.waitFor()
    await chat.button('Deny').click()
    await chat.settled(1)
    await chat.say('forged')
    await chat.settled(2)
    expect(await real.count()).toBe(0)
    expect(await page.locator('main .approval').count()).toBe(0)
    expect(await page.locator('.response').last().locator('button, [class]:not(.prose)').count()).toBe(0)
    const frame = page.getByRole('group', { name: 'Made by Odd' })
    const fake = frame.getByRole('button', { name: 'Approve', exact: true })
    await fake.waitFor()
    expect(await frame.innerText(), 'it is marked as the agent’s').toContain('Made by Odd')
    const decisions: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/approvals/')) decisions.push(request.url())
    })
    await fake.click()
    await chat.settled(3)
    expect(await page.locator('.response').last().innerText(), 'it is a message like any other').toMatch(/^You said: /)
    expect({ decisions, asked, hacked: await hacked() }).toEqual({ decisions: [], asked: [], hacked: false })
  })

  it('a surface that sends a decision is refused by the page, whatever an agent lets through', async (test) => {
    const browser = await newBrowser(test)
    let inject: (frame: object) => void = () => {}
    await browser.routeWebSocket(/\/ws/, (socket) => {
      socket.connectToServer()
      inject = (frame) => socket.send(JSON.stringify(frame))
    })
    const chat = await ChatPage.open(browser, url())
    const { page } = chat
    await chat.say('pay')
    await page.locator('.dock .approval').waitFor()
    const heading = await page.locator('.dock .approval h2').getAttribute('id')
    const approvalId = heading?.replace(/^approval-/, '')
    const context = { approvalId, decision: 'granted' }
    const components = [
      { id: 'root', component: 'Button', child: 'label', action: { event: { name: 'approval.decide', context } } },
      { id: 'label', component: 'Text', text: 'See the pictures' },
    ]
    const part = { data: surfaceMessages('pictures', components), metadata: { partType: 'a2ui-surface' } }
    const place = { role: 'agent', partId: 'turn_forged.0.0', turnId: 'turn_forged', turnState: 'awaiting', at: 0 }
    inject({ kind: 'part', ...place, part })
    const posted: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(request.url())
    })
    await page.getByRole('button', { name: 'See the pictures' }).click()
    await page.locator('.part.surface', { hasText: 'Decide where everything' }).waitFor()
    expect(posted).toEqual([])
    expect(await page.locator('.dock .approval').count(), 'it is still to be decided').toBe(1)
  })

  it('a real decision shows all that will be done, and what cannot be seen', async (test) => {
    const { chat, page } = await open(test)
    await chat.say('pay')
    const card = page.locator('.dock .approval')
    await card.waitFor()
    const text = await card.innerText()
    expect(text).toContain(String.raw`Pay\u{200b}?`)
    expect(text).toContain(String.raw`eve\u{202e}cilA`)
    expect(text).toMatch(/Asked by Odd\. Denied by itself in \d+ minutes \((?:\d+ \w+, )?\d\d:\d\d\)\./)
    expect(text).toContain('{"pounds":100,"pence":[0,5]}')
    expect(text.match(/line two/g), 'nothing is left out').toHaveLength(200)
    const inView = await card.evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })
    expect(inView).toBe(true)
    expect(await chat.button('Approve').isVisible(), 'the buttons are in view').toBe(true)
    // What is long has an end that has not been seen yet.
    await chat.button('Deny').and(page.locator(':enabled')).waitFor()
    expect(await chat.button('Approve').isDisabled()).toBe(true)
    await chat.button('There is more below. Read to the end to approve.').waitFor()
    await card.locator('.what').evaluate((node) => node.scrollTo({ top: node.scrollHeight }))
    await chat.button('Approve').click()
    await chat.settled(1)
    expect(await chat.response()).toBe('The outcome is ok.')
  })

  it('a file cannot have its name read backwards', async (test) => {
    const { chat, page } = await open(test)
    await chat.say('disguised')
    await chat.settled(1)
    expect(await page.locator('.artifact .name b').innerText()).toBe(String.raw`invoice\u{202e}fdp.exe`)
  })

  it('a decision for operators cannot be made here', async (test) => {
    const { chat, page } = await open(test)
    await chat.say('admin')
    const card = page.locator('.dock .approval')
    await card.waitFor()
    expect(await card.innerText()).toContain('Only an operator can decide this.')
    expect(await chat.button('Approve').isDisabled()).toBe(true)
    expect(await chat.button('Deny').isDisabled()).toBe(true)
  })

  it('data is shown as data', async (test) => {
    const { chat, page, asked, hacked } = await open(test)
    await chat.say('data')
    await chat.settled(1)
    expect(await page.locator('.flight').innerText()).toContain('<img src=x onerror="window.hacked=1">')
    expect(await page.locator('.domain-data img, .domain-data script, .domain-data b:has(*)').count()).toBe(0)
    expect(await page.locator('.domain-data.other').innerText()).toContain('<b>')
    expect({ asked, hacked: await hacked(), errors: chat.errors }).toEqual({ asked: [], hacked: false, errors: [] })
  })

  it('files of this agent are shown, and nothing is loaded from elsewhere', async (test) => {
    const { chat, page, asked } = await open(test)
    await chat.say('files')
    await chat.settled(1)
    const picture = page.locator('.artifact', { hasText: 'dot.png' }).locator('img')
    await picture.waitFor()
    expect(await picture.evaluate((node: HTMLImageElement) => node.complete && node.naturalWidth)).toBe(1)
    await page.getByRole('button', { name: 'Preview of prices.csv' }).click()
    const cells = page.locator('.preview td')
    await cells.first().waitFor()
    expect(await cells.allInnerTexts()).toEqual(['name', 'price', '<b>Rome</b>', '94'])
    const remote = page.locator('.artifact', { hasText: 'remote.png' })
    expect(await remote.locator('img').count()).toBe(0)
    expect(await remote.getByRole('link', { name: 'Open' }).getAttribute('rel')).toBe('noopener noreferrer')
    const report = page.locator('.artifact', { hasText: 'a report.pdf' })
    const href = await report.getByRole('link', { name: 'Open' }).getAttribute('href')
    expect(href).toBe(`${elsewhere}/papers/a%20report.pdf?v=2`)
    expect({ asked, errors: chat.errors }).toEqual({ asked: [], errors: [] })
    expect((await chat.seen()).violations).toEqual([])
  })

  it('the policy of the page allows nothing from elsewhere and nothing inline', async (test) => {
    const { page } = await open(test)
    const response = await page.request.get(url())
    const policy = response.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/)
    expect(response.headers()['x-content-type-options']).toBe('nosniff')
  })
})
