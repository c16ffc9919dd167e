import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type axeCore from 'axe-core'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { SurfaceAction, SurfaceError, SurfacePart, SurfaceState } from '@cool-ai/beach-a2ui/renderer'
import type { TestPage } from './page.ts'

const examplesFolder = fileURLToPath(new URL('../../../packages/a2ui/conformance/examples/', import.meta.url))
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Example {
  readonly name: string
  readonly messages: readonly object[]
}

/** The example surfaces of A2UI. */
export function exampleSurfaces(): Example[] {
  return readdirSync(examplesFolder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(examplesFolder, file), 'utf8')) as Example)
}

export function exampleSurface(name: string): Example {
  const found = exampleSurfaces().find((example) => example.name === name)
  if (found === undefined) throw new Error(`There is no example “${name}”.`)
  return found
}

type PageGlobal = { page: TestPage }

/** A page with surfaces, as tests use it. */
export class SurfacePage {
  readonly page: Page
  /** Errors that the page or the browser has logged. */
  readonly logged: string[] = []

  static async open(context: BrowserContext, url: string): Promise<SurfacePage> {
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    const opened = new SurfacePage(page)
    await page.goto(url)
    return opened
  }

  private constructor(page: Page) {
    this.page = page
    page.on('pageerror', (error) => this.logged.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.logged.push(message.text())
    })
  }

  /** Shows parts in place of what was shown before. */
  async show(
    parts: readonly SurfacePart[],
    options: { theme?: 'light' | 'dark' | 'contrast'; sources?: string[]; hasHarbour?: boolean } = {},
  ) {
    await this.page.evaluate(([given, wanted]) => void (globalThis as unknown as PageGlobal).page.show(given, wanted), [
      parts,
      options,
    ] as const)
    await this.drawn()
  }

  /** Gives another part to the same renderer. */
  async handle(part: SurfacePart): Promise<void> {
    await this.page.evaluate((given) => (globalThis as unknown as PageGlobal).page.renderer?.handle(given), part)
    await this.drawn()
  }

  async setState(surfaceId: string, state: SurfaceState, message?: string): Promise<void> {
    await this.page.evaluate(
      ([id, wanted, text]) => (globalThis as unknown as PageGlobal).page.renderer?.setState(id, wanted, text),
      [surfaceId, state, message] as const,
    )
    await this.drawn()
  }

  /** Settles what the last action waits for. */
  async answer(problem?: string): Promise<void> {
    await this.page.evaluate((reason) => (globalThis as unknown as PageGlobal).page.answer(reason), problem)
    await this.drawn()
  }

  /** Waits until everything has been drawn. */
  async drawn(): Promise<void> {
    await this.page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    })
  }

  get surface(): Locator {
    return this.page.locator('beach-surface')
  }

  text(): Promise<string> {
    return this.surface.evaluateAll((surfaces) =>
      surfaces.map((surface) => surface.shadowRoot?.querySelector<HTMLElement>('.surface')?.innerText ?? '').join('\n'),
    )
  }

  actions(): Promise<SurfaceAction[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobal).page.actions)
  }

  errors(): Promise<SurfaceError[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobal).page.errors)
  }

  opened(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobal).page.opened)
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobal).page.violations)
  }

  /** What was last said to users who do not see the page. */
  announced(): Promise<string | null> {
    return this.page.locator('.beach-a2ui-announcer').textContent()
  }

  /** What has the focus: its name, as far as it can be told from the element. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      let element = document.activeElement
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      if (element === null) return ''
      const label = (element as HTMLInputElement).labels?.[0]?.textContent
      return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
    })
  }

  /** What axe finds that is serious or worse, each as a sentence. */
  async barriers(rules?: readonly string[]): Promise<string[]> {
    const isLoaded = await this.page.evaluate(() => 'axe' in globalThis)
    if (!isLoaded) await this.page.evaluate(axeSource)
    const found = await this.page.evaluate(async (wanted) => {
      const { axe } = globalThis as unknown as { axe: typeof axeCore }
      const { violations } = await axe.run(document, {
        resultTypes: ['violations'],
        ...(wanted !== undefined && { runOnly: { type: 'rule', values: [...wanted] } }),
      })
      return violations
    }, rules)
    return found
      .filter(isSerious)
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(', ')}`)
  }

  /** Saves a picture in the folder that SCREENSHOTS names, if it names one. */
  async picture(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `a2ui-${name}.png`), fullPage: true })
  }
}

function isSerious({ impact }: axeCore.Result): boolean {
  return impact === 'serious' || impact === 'critical'
}
