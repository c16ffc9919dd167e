import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Locator, Page } from 'playwright-core'

/** What the page showed at some time, as the recorder in it saw it. */
interface Seen {
  /** The kinds of parts that were shown together, each time that they changed. */
  readonly stages: string[]
  /** Every text that the last response had, in order; empty when there was none any more. */
  readonly responses: string[]
  /** What was shown twice at once. */
  readonly doubled: string[]
  /** What the content security policy kept the page from. */
  readonly violations: string[]
}

interface Part {
  readonly kind: string
  readonly text: string
}

/** The chat page in one tab, with a recorder that sees every state it was ever in. */
export class ChatPage {
  readonly page: Page
  /** Errors that the page or the browser has logged. */
  readonly errors: string[] = []

  static async open(context: BrowserContext, url: string): Promise<ChatPage> {
    const page = await context.newPage()
    const chat = new ChatPage(page)
    await page.addInitScript(record)
    await page.goto(url)
    await chat.connected()
    return chat
  }

  private constructor(page: Page) {
    this.page = page
    page.setDefaultTimeout(45_000)
    page.on('pageerror', (error) => this.errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text())
    })
  }

  /** The page as its users find it: by role and name. */
  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Waits until nothing is under way. */
  async idle(): Promise<void> {
    await this.page.waitForFunction(() => document.querySelector('.open, .pending, .status, #stop') === null)
  }

  /** How many pixels the page is wider than its window. */
  async overflow(): Promise<number> {
    return this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  }

  /** Types into the field that has the focus, as a user without a mouse would. */
  async say(text: string): Promise<void> {
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }

  async connected(): Promise<void> {
    await this.page.locator('#connection.online').waitFor()
  }

  async disconnected(): Promise<void> {
    await this.page.locator('#connection:not(.online)').waitFor()
  }

  /** Has it connect now, as its own button does: what a client waits between its attempts is random, and longer the more have failed. */
  async wake(): Promise<void> {
    await this.page.evaluate(() => dispatchEvent(new Event('online')))
  }

  /** Waits until the answer is being shown and has more than `length` characters. */
  async speaking(length: number): Promise<void> {
    await this.page.waitForFunction((min) => {
      const text = document.querySelector('.response.open')?.textContent ?? ''
      return text.length > min
    }, length)
  }

  /** Waits until `count` answers are complete and nothing is under way. */
  async settled(count = 1): Promise<void> {
    await this.page.waitForFunction((responses) => {
      const done = document.querySelectorAll('.response:not(.open)').length === responses
      return done && document.querySelector('.open, .pending, #stop') === null
    }, count)
  }

  parts(): Promise<Part[]> {
    return this.page.locator('.part').evaluateAll((nodes) =>
      nodes.map((node) => ({
        kind: node.className.replace(/^part /, ''),
        text: (node.querySelector('[data-said]') ?? node).textContent,
      })),
    )
  }

  async response(): Promise<string> {
    return (await this.page.locator('.response').textContent()) ?? ''
  }

  seen(): Promise<Seen> {
    return this.page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen)
  }

  /** The session that this browser remembers. */
  async session(): Promise<string> {
    return this.page.evaluate(() => localStorage.getItem('beach.session') ?? '')
  }

  colour(selector: string, property: 'color' | 'backgroundColor'): Promise<string> {
    return this.page.locator(selector).evaluate((node, name) => getComputedStyle(node)[name], property)
  }

  /** Saves a picture of one of the main states for the README, when it is to be made anew (`UPDATE_SCREENSHOTS=1`). */
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

/** Runs in the page, before anything else does: it sees each state that could have been painted, and keeps what matters. */
function record(): void {
  const seen: Seen = { stages: [], responses: [], doubled: [], violations: [] }
  Object.assign(globalThis, { seen })
  const look = () => {
    const parts = [...document.querySelectorAll<HTMLElement>('.part')]
    const shown = new Set<string>()
    const showOnce = (what: string) => {
      if (shown.has(what)) seen.doubled.push(what)
      shown.add(what)
    }
    let message = 'no message'
    for (const part of parts) {
      const [, kind = ''] = part.className.split(' ')
      const text = (part.querySelector('[data-said]') ?? part).textContent
      // Messages in a test differ from each other, and each gets one of every kind of answer.
      if (kind === 'user') showOnce(`the message “${(message = text)}”`)
      else showOnce(`${kind} to “${message}”`)
    }
    const stage = parts.map((part) => part.className.replace(/^part /, '')).join(', ')
    if (stage !== (seen.stages.at(-1) ?? '')) seen.stages.push(stage)
    const response = parts.findLast((part) => part.classList.contains('response'))?.textContent ?? ''
    if (response !== (seen.responses.at(-1) ?? '')) seen.responses.push(response)
  }
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  })
  document.addEventListener('securitypolicyviolation', (event) => {
    seen.violations.push(`${event.violatedDirective}: ${event.blockedURI}`)
  })
}
