import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Locator, Page } from 'playwright-core'

/** The page of the coffee shop in one tab. */
export class CoffeePage {
  readonly page: Page
  /** Errors that the page or the browser has logged. */
  readonly errors: string[] = []

  static async open(context: BrowserContext, url: string): Promise<CoffeePage> {
    const coffee = new CoffeePage(await context.newPage())
    await coffee.page.goto(url)
    return coffee
  }

  private constructor(page: Page) {
    this.page = page
    page.setDefaultTimeout(45_000)
    page.on('pageerror', (error) => this.errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text())
    })
  }

  async connected(): Promise<void> {
    await this.page.locator('#connection.online').waitFor()
  }

  async disconnected(): Promise<void> {
    await this.page.locator('#connection:not(.online)').waitFor()
  }

  /** Has it connect now: what a client waits between its attempts is random, and longer the more of them have failed. */
  async wake(): Promise<void> {
    await this.page.evaluate(() => dispatchEvent(new Event('online')))
  }

  /** Says something in the field of the conversation. */
  async say(text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Message' }).fill(text)
    await this.page.getByRole('button', { name: 'Send' }).click()
  }

  /** A flow that is shown over the page. */
  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name })
  }

  button(name: string | RegExp, within: Locator | Page = this.page): Locator {
    return within.getByRole('button', { name, exact: true })
  }

  text(text: string | RegExp): Locator {
    return this.page.getByText(text)
  }

  /** How many pixels the page is wider than its window. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  }

  /** Saves a picture for the README, when it is to be made anew (`UPDATE_SCREENSHOTS=1`). */
  async screenshot(name: string): Promise<void> {
    if (process.env.UPDATE_SCREENSHOTS !== '1') return
    await this.page.screenshot({ path: fileURLToPath(new URL(`../../docs/screenshots/${name}.png`, import.meta.url)) })
  }

  /** Saves a picture in the folder that SCREENSHOTS names, if it names one. */
  async picture(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `${name}.png`) })
  }
}
