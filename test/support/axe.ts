import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axeCore from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What on a page would keep some people from using it, or make it harder, as far as axe finds it, a sentence each; frames are left out. */
export async function barriersOn(page: Page): Promise<string[]> {
  // Evaluated from outside, which no content security policy forbids.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore }
    // Every rule, also those that axe leaves out unless asked; only the contrast of level AAA (7 to 1) is not aimed at.
    const asked = axe.getRules().filter(({ ruleId, tags }) => {
      return ruleId !== 'color-contrast-enhanced' && !tags.includes('deprecated')
    })
    const rules = Object.fromEntries(asked.map(({ ruleId }) => [ruleId, { enabled: true }]))
    return (await axe.run(document, { resultTypes: ['violations'], iframes: false, rules })).violations
  })
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(', ')}`)
}
