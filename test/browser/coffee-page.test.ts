import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { startServer } from '../support/server-process.ts'
import { CoffeePage } from './coffee-page.ts'

const program = 'examples/coffee/start.mjs'

test('the usual is ordered, a card is declined, another one pays, and the order is tracked until it is there', async (context) => {
  const server = await startServer(context, { program, variables: { COFFEE_MINUTE_MS: '400' } })
  const coffee = await CoffeePage.open(await newBrowser(context), server.url)
  await coffee.connected()
  await coffee.picture('coffee-1-welcome')
  await coffee.button('Order my usual').click()
  const order = coffee.dialog('Your order')
  await order.getByText('Cappuccino').first().waitFor()
  expect(await order.getByLabel('Total').textContent()).toBe('$5.00')
  await coffee.picture('coffee-2-order')

  await order.getByRole('textbox', { name: 'Say what to change' }).fill('make it two')
  await coffee.page.keyboard.press('Enter')
  await order.getByText('$10.00').first().waitFor()
  await order.getByRole('textbox', { name: 'Say what to change' }).fill('add a muffin')
  await coffee.page.keyboard.press('Enter')
  await order.getByText('Blueberry muffin').waitFor()
  await coffee.button('One Blueberry muffin more', order).click()
  await order.getByText('$16.20').waitFor()

  await order.getByRole('radio', { name: 'Mastercard ••0002' }).check()
  await coffee.button('Place order', order).click()
  await order.getByRole('alert').filter({ hasText: 'Payment declined by processor' }).waitFor()
  await coffee.picture('coffee-3-declined')
  await order.getByRole('radio', { name: 'Visa ••4242' }).check()
  await coffee.button('Place order', order).click()
  await coffee.text(/^Order CF-\d{5} is placed, \$16\.20\.$/).waitFor()
  await order.waitFor({ state: 'detached' })
  await coffee.picture('coffee-4-placed')

  await coffee.button('Track it').click()
  await coffee.text(/^About \d min$/).waitFor()
  await coffee.picture('coffee-5-tracking')
  await coffee.text('Ready at Main Street').waitFor()
  await coffee.picture('coffee-6-ready')
  await coffee.button('I have it').click()
  await coffee.text(/is collected\. Enjoy!$/).waitFor()
  expect(coffee.errors).toEqual([])
})

test('an order goes on after a reload, after a crash of the shop, and on a phone', async (context) => {
  const server = await startServer(context, { program, variables: { COFFEE_MINUTE_MS: '400' } })
  const coffee = await CoffeePage.open(await newBrowser(context), server.url)
  await coffee.connected()
  await coffee.say('two flat whites with oat milk at the harbour, please')
  const order = coffee.dialog('Your order')
  await order.getByText('Flat white').first().waitFor()
  await order.getByRole('radio', { name: '$2.00' }).check()
  await order.getByText('$10.80').waitFor()

  await coffee.page.reload()
  await order.getByText('$10.80').waitFor()
  expect(await order.getByRole('radio', { name: /Harbour/ }).isChecked()).toBe(true)

  await server.kill9()
  await coffee.disconnected()
  // What is done while nobody is there is done when somebody is there again.
  await coffee.button('One Flat white more', order).click()
  await server.start()
  await coffee.connected()
  await order.getByText('$15.20').waitFor()
  expect(await order.getByLabel('Total').textContent()).toBe('$15.20')

  const phone = await CoffeePage.open(
    await newBrowser(context, { viewport: { width: 375, height: 720 }, hasTouch: true }),
    await linkFrom(coffee),
  )
  await phone.button('Go on here').click()
  const there = phone.dialog('Your order')
  await there.getByText('Flat white').first().waitFor()
  expect(await phone.overflow()).toBeLessThanOrEqual(0)
  await phone.picture('coffee-7-phone-order')
  await phone.button('Place order', there).click()
  await phone.text(/^Order CF-\d{5} is placed, \$15\.20\.$/).waitFor()
  await phone.picture('coffee-8-phone-placed')
  // The first page has seen all of it.
  await order.waitFor({ state: 'detached' })
  await coffee.text(/^Order CF-\d{5} is placed, \$15\.20\.$/).waitFor()

  await phone.button('Track it').click()
  await phone.text('Ready at Harbour').waitFor()
  await coffee.text('Ready at Harbour').waitFor()
  expect(phone.errors).toEqual([])
})

/** The one-time link that the page gives for another device. It is under the order, which is put aside for it. */
async function linkFrom(coffee: CoffeePage): Promise<string> {
  const tab = await CoffeePage.open(coffee.page.context(), coffee.page.url())
  await tab.dialog('Your order').waitFor()
  const url = await tab.page.evaluate(async () => {
    const session = localStorage.getItem('coffee.session') ?? ''
    const response = await fetch(`./sessions/${session}/links`, { method: 'POST' })
    const { url: made } = (await response.json()) as { url: string }
    return made
  })
  await tab.page.close()
  return url
}
