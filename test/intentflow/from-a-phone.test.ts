import { expect, test } from 'vitest'
import { until } from '../support/phone-context.ts'
import { linkIn, phoneShop } from './phone-shop.ts'

/** Sends the form of a link's page that has this button, as the page has it. */
async function press(link: string, label: string): Promise<Response> {
  const html = await (await fetch(link)).text()
  const form = html.split('<form').find((one) => one.includes(`>${label}</button>`)) ?? ''
  const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  )
  return fetch(link, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
}

test('an order that was begun in the chat is changed and placed by WhatsApp, over a restart, and the chat shows it', async () => {
  const shop = await phoneShop()
  // On WhatsApp, the agent may write only to people who have written first.
  await shop.text('hello')
  await shop.message(1)
  const chat = await shop.chat('whatsapp')
  await chat.say('order my usual')
  const asked = await shop.message(2)
  expect(asked.text).toContain('Here is your order.')
  expect(asked.text).toContain('1 × Cappuccino')
  expect(asked.text).toContain('Total $5.00')
  expect(asked.text).toMatch(
    /Reply to this message with CHANGE_PAYMENT to change payment, CONFIRM to place order, CANCEL to cancel, or open http/,
  )
  expect(linkIn(asked)).toContain(`${shop.url}/intentflow/open/`)

  await shop.text('make it two', asked.id)
  const changed = await shop.message(3)
  expect(changed.text).toMatch(/^Changed\.\n\nYour order at Main Street[\s\S]*2 × Cappuccino[\s\S]*Total \$10\.00/)
  expect(await chat.shown()).toMatchObject([
    { intentId: 'order.place', state: 'review', props: { items: [{ quantity: 2 }] } },
  ])

  await shop.restart()
  // Without replying to a message, it is for the conversation that has written last.
  await shop.text('confirm')
  expect((await shop.message(4)).text).toBe('All right, that is done.')
  expect(await chat.shown()).toEqual([])
  expect(await shop.orders()).toMatchObject([{ total: 10, items: [{ quantity: 2 }] }])
  // The link that is still there has nothing more to offer.
  expect(await (await fetch(linkIn(asked))).text()).toContain('This is done.')
  expect((await press(linkIn(asked), 'Place order')).status).toBe(400)
  expect(await shop.orders()).toHaveLength(1)
  // A person who has joined and writes too is answered once.
  expect(shop.messages()).toHaveLength(4)
  // A person who wants a conversation of their own gets it.
  await shop.text('/new')
  await shop.message(5)
  await shop.text('order a latte')
  expect((await shop.message(6)).text).toContain('1 × Latte')
  expect(await chat.shown()).toEqual([])
})

test('an order that was begun in the chat is changed by mail and placed by the link in it, over a restart, once', async () => {
  const shop = await phoneShop()
  const chat = await shop.chat('mail')
  await chat.say('order a latte')
  const asked = await shop.mail(1)
  expect(asked.text).toContain('1 × Latte')
  expect(asked.text).toContain('CONFIRM to place order')
  const link = linkIn(asked)

  await shop.answer('Make it two.', asked.mail)
  const changed = await shop.mail(2)
  expect(changed.text).toMatch(/Changed\.\s+Your order at Main Street[\s\S]*2 × Latte/)

  // A link without a signature, or with one for something else, does nothing.
  const [body = '', signature = ''] = link.slice(link.lastIndexOf('/') + 1).split('.')
  const place = JSON.parse(Buffer.from(body, 'base64url').toString()) as string[]
  const other = Buffer.from(JSON.stringify([place[0], place[1], 'flow_other'])).toString('base64url')
  for (const forged of [`${body}.${'A'.repeat(signature.length)}`, `${other}.${signature}`]) {
    const answer = await fetch(`${shop.url}/intentflow/open/${forged}`, {
      method: 'POST',
      body: new URLSearchParams({ event: 'CONFIRM', seq: '1' }),
    })
    expect(answer.status).toBe(404)
  }
  expect(await chat.shown()).toMatchObject([{ state: 'review' }])
  expect(await shop.orders()).toEqual([])

  await shop.restart()
  const pressed = await Promise.all([press(link, 'Place order'), press(link, 'Place order')])
  expect(pressed.map(({ status }) => status)).toEqual([303, 303])
  await until(async () => (await chat.shown()).length === 0)
  expect(await shop.orders()).toMatchObject([{ items: [{ quantity: 2 }] }])
  expect(await (await fetch(link)).text()).toContain('This is done.')
})

test('a link whose order has run out does nothing, and says so', async () => {
  const shop = await phoneShop()
  const chat = await shop.chat('mail')
  await chat.say('order a latte')
  const link = linkIn(await shop.mail(1))
  shop.clock.aheadMs = 31 * 60 * 1_000
  const late = await fetch(link, { method: 'POST', body: new URLSearchParams({ event: 'CONFIRM', seq: '0' }) })
  expect(late.status).toBe(410)
  // No process ran when its time came; the next process ends it.
  await shop.restart()
  await until(async () => (await chat.shown()).length === 0)
  expect(await (await fetch(link)).text()).toContain('The time for this has run out.')
  expect(await shop.orders()).toEqual([])
})
