import { test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { startServer } from '../support/server-process.ts'
import { CoffeePage } from './coffee-page.ts'
test('debug', async (context) => {
  const server = await startServer(context, { program: 'examples/coffee/start.mjs', variables: { COFFEE_MINUTE_MS: '400' } })
  const coffee = await CoffeePage.open(await newBrowser(context), server.url)
  await coffee.connected()
  await coffee.button('Order my usual').click()
  await coffee.page.waitForTimeout(3000)
  console.log(coffee.errors.join('\n'))
  console.log(await coffee.page.locator('body').innerText())
})
