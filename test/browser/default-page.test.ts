import { createBeach, defineActor, type Beach, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime, type Channel } from '@cool-ai/beach-core'
import { readdressed } from '@cool-ai/beach-channel/http'
import { serve as serveHttp } from '@hono/node-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { ChatPage } from './chat-page.ts'

/** The greeter of the README: it has no page of its own. */
const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'ack', text: 'One moment.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'response', text: words(`You said: ${text}`) }], turnState: 'complete' })
})

async function* words(text: string): AsyncGenerator<string> {
  for (const word of text.split(/(?<= )/)) yield word
}

async function agent(options: Partial<BeachOptions> = {}): Promise<Beach> {
  const beach = await createBeach({
    agent: { id: 'greeter', name: 'Greeter' },
    data: 'memory',
    actors: { greeter },
    runtime: systemRuntime({ logger: silentLogger }),
    ...options,
  })
  onTestFinished(() => beach.close())
  return beach
}

async function served(options: Partial<BeachOptions> = {}): Promise<string> {
  return (await (await agent(options)).listen({ port: 0, signals: false })).url
}

const card = {
  id: 'clerk',
  name: 'Clerk',
  description: 'Pays invoices.',
  capabilities: [{ id: 'pay', description: 'Pays an invoice.', examples: ['pay invoice 17', 'what is due?'] }],
}

const answer = (text: string) => [
  { kind: 'user', text },
  { kind: 'ack', text: 'One moment.' },
  { kind: 'response', text: `You said: ${text}` },
]

describe('an agent without a page of its own', () => {
  it('has a chat at its address, which a reload keeps', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), await served())
    expect(await chat.page.title()).toBe('Greeter · Beach')
    await chat.picture('default-1-welcome')
    await chat.say('hello there')
    await chat.settled()
    expect(await chat.parts()).toEqual(answer('hello there'))
    await chat.page.reload()
    await chat.settled()
    expect(await chat.parts()).toEqual(answer('hello there'))
    expect(await chat.page.getByRole('link', { name: 'Inspector' }).count()).toBe(0)
    const { violations } = await chat.seen()
    expect({ violations, errors: chat.errors }).toEqual({ violations: [], errors: [] })
  })

  it('shows the description and the examples of its card, and says one of them', async (test) => {
    const chat = await ChatPage.open(await newBrowser(test), await served({ agent: card }))
    expect(await chat.page.locator('.welcome').innerText()).toContain('Pays invoices.')
    expect(await chat.page.locator('.suggestions button').allInnerTexts()).toEqual(['Pay invoice 17', 'What is due?'])
    await chat.button('Pay invoice 17').click()
    await chat.settled()
    expect(await chat.parts()).toEqual(answer('Pay invoice 17'))
    await chat.button('See what each channel gets').first().click()
    await chat.page.locator('.channel').first().waitFor()
    expect(await chat.page.locator('.channel h3').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/mail/i)]),
    )
  })

  it.for(['light', 'dark'] as const)(
    'has a page that axe finds no fault with, in %s colours',
    async (colorScheme, test) => {
      const url = await served({ agent: card })
      for (const width of [320, 390, 1_280]) {
        const context = await newBrowser(test, { colorScheme, viewport: { width, height: 760 } })
        const chat = await ChatPage.open(context, url)
        await chat.picture(`default-${colorScheme}-${width}-1`)
        expect(await barriersOn(chat.page), `welcome, ${width}`).toEqual([])
        await chat.say('hello there')
        await chat.settled()
        await chat.picture(`default-${colorScheme}-${width}-2`)
        expect(await barriersOn(chat.page), `answer, ${width}`).toEqual([])
        expect(await chat.overflow()).toBe(0)
      }
    },
  )

  it('has the page with the settings that createBeach was given', async (test) => {
    const page = {
      suggestions: ['hello'],
      links: () => [{ label: 'Handbook', url: 'https://handbook.example/' }],
      styles: ':root { --sea: #5b2a86 }',
    }
    const chat = await ChatPage.open(await newBrowser(test), await served({ agent: card, page }))
    expect(await chat.page.locator('.suggestions button').allInnerTexts()).toEqual(['Hello'])
    expect(await chat.page.getByRole('link', { name: 'Handbook' }).getAttribute('href')).toBe(page.links()[0]?.url)
    const sea = () => getComputedStyle(document.documentElement).getPropertyValue('--sea').trim()
    expect(await chat.page.evaluate(sea)).toBe('#5b2a86')
    expect((await chat.seen()).violations).toEqual([])
  })

  it('asks its user for no decision that is somebody else’s', async (test) => {
    const manager = { kind: 'user', id: 'manager', tenant: 'default' } as const
    const clerk = defineActor(async ({ respond, tool }) => {
      const call = { name: 'pay', args: { invoice: 'A1' }, requiresApproval: true } as const
      const { outcome } = await tool(call, async () => 'paid')
      await respond({ parts: [{ partType: 'response', text: `It is ${outcome}.` }], turnState: 'complete' })
    })
    const beach = await agent({ actors: { clerk }, approvals: { approvers: [manager] } })
    const chat = await ChatPage.open(await newBrowser(test), (await beach.listen({ port: 0, signals: false })).url)
    await chat.say('pay')
    await chat.page.locator('.record', { hasText: 'waits for the decision of somebody else' }).waitFor()
    expect(await chat.page.locator('.dock .approval').count()).toBe(0)
    expect(await chat.page.title()).toBe('Greeter · Beach')
    const [pending] = (await beach.sessions.approvals({}, manager)).items
    await beach.sessions.decide(pending?.approvalId ?? '', { decision: 'granted' }, manager)
    await chat.page.getByText('It is ok.', { exact: true }).waitFor()
    expect(chat.errors).toEqual([])
  })

  it('links to the inspector where it is on', async (test) => {
    const inspect: Channel = {
      transport: 'inspect',
      deliveryClass: 'buffered',
      paths: ['/inspect'],
      start: async () => {},
      fetch: async () => new Response('The inspector'),
    }
    const chat = await ChatPage.open(await newBrowser(test), await served({ channels: [inspect] }))
    await chat.page.getByRole('link', { name: 'Inspector' }).click()
    expect(await chat.page.innerText('body')).toBe('The inspector')
  })

  it('has a chat that works below a path, and where WebSockets do not get through', async (test) => {
    const beach = await agent({ publicUrl: 'http://127.0.0.1/agents/greeter' })
    const { url, close } = await behindPath(beach, '/agents/greeter')
    onTestFinished(close)
    const chat = await ChatPage.open(await newBrowser(test), `${url}/`)
    await chat.say('hello there')
    await chat.settled()
    expect(await chat.parts()).toEqual(answer('hello there'))
    await chat.button('See what each channel gets').first().click()
    await chat.page.locator('.channel').first().waitFor()
    await chat.page.keyboard.press('Escape')
    await chat.page.getByRole('link', { name: 'Approvals' }).first().click()
    await chat.page.waitForURL(`${url}/approvals`)
    expect(await chat.page.innerText('body')).toContain('Nothing waits for your decision.')
  })
})

/** Serves an agent below a path, as a proxy does that takes the path off. */
async function behindPath(beach: Beach, path: string) {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = serveHttp(
    {
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const url = new URL(request.url)
        if (!url.pathname.startsWith(`${path}/`)) return new Response(null, { status: 404 })
        url.pathname = url.pathname.slice(path.length)
        return beach.fetch(readdressed(request, url))
      },
    },
    ({ port }) => resolve(port),
  )
  const url = `http://127.0.0.1:${await promise}${path}`
  return {
    url,
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
