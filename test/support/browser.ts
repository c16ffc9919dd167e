import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { inject, type TestContext } from 'vitest'

const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
]

/** One for all test files of this process. It ends with the process. */
let launched: Promise<Browser> | undefined

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
  const browser = await chromium.launch({
    executablePath: found.path,
    env: { ...process.env, ...found.variables },
    args: quiet,
    handleSIGTERM: false,
  })
  // The test runner's signal would end this process at once; on its exit Playwright ends the browser and tidies up.
  process.once('SIGTERM', () => process.exit())
  browser.once('disconnected', () => (launched = undefined))
  return browser
}
