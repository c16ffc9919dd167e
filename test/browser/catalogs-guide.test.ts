import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { startServer } from '../support/server-process.ts'

// docs/catalogs.md, as it stands: an agent with a catalog of its own, and a page that draws its components.

const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = readFileSync(`${root}docs/catalogs.md`, 'utf8')

test.for(['harbour-catalog.ts', 'harbour-actor.ts', 'harbour.ts', 'page/main.ts'])(
  '%s stands in the guide as it is',
  (name) => {
    const program = readFileSync(`${root}examples/catalogs/${name}`, 'utf8')
    expect(guide).toContain(`\`\`\`ts\n${program}\`\`\``)
  },
)

test('a component of the catalog is shown, used and changed, also by an agent that was started anew', async (context) => {
  const server = await startServer(context, { program: 'examples/catalogs/harbour.ts' })
  const page = await (await newBrowser(context)).newPage()
  page.setDefaultTimeout(30_000)
  const errors: string[] = []
  page.on('console', (message) => (message.type() === 'error' ? errors.push(message.text()) : undefined))
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(server.url)
  const berths = page.getByRole('group', { name: 'Free berths' })
  await expect.poll(() => berths.getByRole('button').allTextContents(), { timeout: 30_000 }).toEqual(['B7', 'B9'])
  // The styles of the catalog reach what it draws.
  expect(await berths.evaluate((element) => getComputedStyle(element).display)).toBe('flex')
  expect(errors).toEqual([])

  await server.kill9()
  await server.start()
  // That the server was gone is in the log too.
  await page.reload()
  errors.length = 0
  await berths.getByRole('button', { name: 'B7' }).click()
  const left = page.getByRole('group', { name: 'B7 is yours' })
  await expect.poll(() => left.getByRole('button').allTextContents(), { timeout: 30_000 }).toEqual(['B9'])
  await expect.poll(() => page.getByText('€40').isVisible(), { timeout: 30_000 }).toBe(true)
  expect(errors).toEqual([])
})
