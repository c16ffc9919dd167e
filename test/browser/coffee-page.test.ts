import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { barriersOn } from '../support/axe.ts'
import { newBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startServer } from '../support/server-process.ts'
import { ChatPage } from './chat-page.ts'
import { CoffeePage } from './coffee-page.ts'

const program = 'examples/coffee/start.mjs'

test.concurrent('the usual is ordered, a card is declined, another one pays, and the order is tracked until it is there', async (context) => {
  const server = await startServer(context, { program, variables: { COFFEE_MINUTE_MS: '400' } })
  const coffee = await CoffeePage.open(await newBrowser(context, { reducedMotion: 'reduce' }), server.url)
  await coffee.connected()
  await coffee.picture('coffee-1-welcome')
  expect(await barriersOn(coffee.page)).toEqual([])
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
  const books = join(server.folder, 'books')
  expect(existsSync(books)).toBe(false)
  await coffee.picture('coffee-3-declined')
  await coffee.screenshot('coffee-order-desktop-light')
  expect(await barriersOn(coffee.page)).toEqual([])
  await order.getByRole('radio', { name: 'Visa ••4242' }).check()
  await coffee.button('Place order', order).click()
  await coffee.text(/^Order CF-\d{5} is placed, \$16\.20\.$/).waitFor()
  expect(readdirSync(books).filter((name) => name.startsWith('order-'))).toHaveLength(1)
  await order.waitFor({ state: 'detached' })
  await coffee.picture('coffee-4-placed')

  await coffee.button('Track it').click()
  // It gets there by itself.
  await coffee.text('Ready at Main Street').waitFor()
  await coffee.picture('coffee-5-ready')
  expect(await barriersOn(coffee.page)).toEqual([])
  await coffee.button('I have it').click()
  await coffee.text(/is collected\. Enjoy!$/).waitFor()
  expect(coffee.errors).toEqual([])
})

test.concurrent('an order goes on after a reload, after a crash of the shop, and on a phone', async (context) => {
  const server = await startServer(context, { program, variables: { COFFEE_MINUTE_MS: '60000' } })
  const coffee = await CoffeePage.open(await newBrowser(context), server.url)
  await coffee.connected()
  await coffee.button('Continue on another device').click()
  const link = await coffee.dialog('Continue on another device').getByLabel('One-time link').inputValue()
  await coffee.button('Close').click()
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
  // What was due without a process is done once a process runs again.
  await coffee.button('One Flat white more', order).click()
  await server.start()
  await coffee.connected()
  await order.getByText('$15.20').waitFor()
  expect(await order.getByLabel('Total').textContent()).toBe('$15.20')

  const small = { viewport: { width: 375, height: 720 }, hasTouch: true, reducedMotion: 'reduce' } as const
  const phone = await CoffeePage.open(await newBrowser(context, small), link)
  await phone.button('Go on here').click()
  const there = phone.dialog('Your order')
  await there.getByText('Flat white').first().waitFor()
  expect(await phone.overflow()).toBeLessThanOrEqual(0)
  await phone.picture('coffee-7-phone-order')
  await phone.button('Place order', there).click()
  // Whatever the shop was doing, it does it once.
  await server.kill9()
  await server.start()
  await Promise.all([phone.wake(), coffee.wake()])
  await phone.text(/^Order CF-\d{5} is placed, \$15\.20\.$/).waitFor()
  await phone.picture('coffee-8-phone-placed')
  // A process that was killed may leave the draft of a file.
  const orders = readdirSync(join(server.folder, 'books')).filter((name) => /^order-.*\.json$/.test(name))
  expect(orders).toEqual([expect.stringMatching(/^order-\w+\.json$/)])
  // The first page has seen all of it.
  await order.waitFor({ state: 'detached' })
  await coffee.text(/^Order CF-\d{5} is placed, \$15\.20\.$/).waitFor()

  await phone.button('Track it').click()
  await phone.text('About 5 min').waitFor()
  await phone.screenshot('coffee-track-phone-light')
  expect(await barriersOn(phone.page)).toEqual([])
  // The same shop, where time passes faster.
  await server.kill9()
  const { folder, port } = server
  await startServer(context, { program, folder, port, variables: { COFFEE_MINUTE_MS: '10' } })
  await Promise.all([phone.wake(), coffee.wake()])
  await phone.text('Ready at Harbour').waitFor()
  await coffee.text('Ready at Harbour').waitFor()
})

test.concurrent('from the menu to an order that is cancelled, with a new card on the way', async (context) => {
  const server = await startServer(context, { program, variables: { COFFEE_MINUTE_MS: '60000' } })
  const coffee = await CoffeePage.open(await newBrowser(context, { colorScheme: 'dark' }), server.url)
  await coffee.connected()
  await coffee.say('what cold drinks do you have?')
  const menu = coffee.dialog('Menu')
  await menu.getByText('Cold brew').waitFor()
  expect(await menu.getByText('Croissant').count()).toBe(0)
  await coffee.picture('coffee-9-menu-dark')
  await coffee.screenshot('coffee-menu-desktop-dark')
  expect(await barriersOn(coffee.page)).toEqual([])
  await coffee.button('Order Iced latte', menu).click()
  const order = coffee.dialog('Your order')
  await order.getByText('Iced latte').first().waitFor()

  await coffee.button('Another card…', order).click()
  const payment = coffee.dialog('Payment')
  await payment.getByLabel('Number').fill('4111 1111 1111 1112')
  await payment.getByLabel('Valid until').fill('12/39')
  await coffee.button('Add card', payment).click()
  await payment.getByRole('alert').filter({ hasText: 'This is not a card number' }).waitFor()
  await coffee.picture('coffee-10-payment-dark')
  expect(await barriersOn(coffee.page)).toEqual([])
  await payment.getByLabel('Number').fill('4111 1111 1111 1111')
  await coffee.button('Add card', payment).click()
  await order.getByRole('radio', { name: 'Visa ••1111' }).waitFor()
  expect(await order.getByRole('radio', { name: 'Visa ••1111' }).isChecked()).toBe(true)
  expect(await barriersOn(coffee.page)).toEqual([])
  await coffee.button('Place order', order).click()
  await coffee.text(/^Order CF-\d{5} is placed, \$4\.10\.$/).waitFor()
  await menu.waitFor({ state: 'detached' })

  await coffee.say('where is my order?')
  await coffee.text('About 8 min').waitFor()
  await coffee.say('cancel it')
  const question = coffee.dialog('Cancel the order')
  await question.getByText('$4.10 go back to Visa ••1111.').waitFor()
  await coffee.picture('coffee-11-cancel-dark')
  await coffee.button('Cancel the order', question).click()
  await coffee.text(/is cancelled\. \$4\.10 go back to Visa ••1111\.$/).waitFor()
  await coffee.text('About 8 min').waitFor({ state: 'detached' })
  await coffee.picture('coffee-12-cancelled-dark')
  expect(await barriersOn(coffee.page)).toEqual([])

  await coffee.say('I want to order')
  await coffee.text('What would you like?').waitFor()
  await coffee.picture('coffee-13-clarify-dark')
  await coffee.button('My usual').click()
  await order.getByText('Cappuccino').first().waitFor()
  // Escape puts a flow away.
  await coffee.page.keyboard.press('Escape')
  await coffee.text('The order was not placed.').waitFor()
  expect(coffee.errors).toEqual([])
})

test.concurrent('the page that npm start shows leads to the shop, on the same port', async (context) => {
  const port = await freePort(2)
  const server = await startServer(context, { program: 'examples/demo/start.mjs', port })
  const browser = await newBrowser(context)
  const travel = await ChatPage.open(browser, server.url)
  await travel.page.getByRole('link', { name: 'Example Coffee' }).click()
  await travel.page.waitForURL(`${server.url}/coffee/`)
  const coffee = await CoffeePage.open(browser, `${server.url}/coffee`)
  await coffee.connected()
  await coffee.button('Order my usual').click()
  await coffee.dialog('Your order').getByText('Cappuccino').first().waitFor()
  await coffee.page.getByRole('button', { name: 'Close' }).click()
  await coffee.text('The order was not placed.').waitFor()
  expect(coffee.errors).toEqual([])
})
