import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { afterAll, inject, type TestContext } from 'vitest'

const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
]

let launched: Promise<Browser> | undefined

afterAll(async () => {
  const browser = await launched?.catch(() => undefined)
  await browser?.close()
})

/** A browser for one test: it shares no cookies and no storage with any other. */
export async function newBrowser(test: TestContext, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  launched ??= launch()
  const browser = await launched
  const context = await browser.newContext({ viewport: { width: 1_000, height: 700 }, ...options })
  test.onTestFinished(async ({ task }) => {
    for (const page of task.result?.state === 'fail' ? context.pages() : []) {
      console.error(`${task.name}: the page showed\n${await page.locator('body').innerText()}`)
    }
    await context.close()
  })
  return context
}

/** Starts the Chromium that the global set-up has prepared; without one, the sentence that says why is the error. */
async function launch(): Promise<Browser> {
  const found = inject('chromium')
  if ('problem' in found) throw new Error(found.problem)
  // Playwright leaves Chromium's sandbox out unless asked: root cannot have it, and many containers do not allow it.
  return chromium.launch({
    executablePath: found.path,
    env: { ...process.env, ...found.variables },
    args: quiet,
  })
}
