import { expect, test } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { surfacePages } from './a2ui/open-page.ts'
import { startSurfacePage } from './a2ui/server.ts'
import { exampleSurfaces } from './a2ui/surface-page.ts'

const open = surfacePages()

/** The words of a text, without the marks of Markdown: the stock renderer shows those when it has no reader of them. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/\]\([^)]*\)/g, ' ')
    .split(/[^\p{L}\p{N}$€.,:%]+/u)
    .filter((word) => word !== '')
}

test('our renderer shows every word of the examples that A2UI’s own renderer shows', async (context) => {
  const ours = await open(context)
  const server = await startSurfacePage('stock.html')
  context.onTestFinished(() => server.close())
  const stock = await (await newBrowser(context)).newPage()
  await stock.goto(server.url)
  const missing: Record<string, string[]> = {}
  for (const { name, messages } of exampleSurfaces()) {
    await ours.show([{ data: messages }])
    const shown = new Set(wordsOf(await ours.text()))
    const expected = await stock.evaluate(async (given) => {
      ;(globalThis as unknown as { showStock: (messages: readonly object[]) => void }).showStock(given)
      for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
      const texts = [...document.querySelectorAll('a2ui-surface')].map((surface) => {
        // Names in place of pictures, and complaints about fields that the user has not been in yet.
        for (const other of surface.shadowRoot?.querySelectorAll('.material-icons, .error') ?? []) other.remove()
        return surface.shadowRoot?.querySelector<HTMLElement>(':not(style)')?.innerText ?? ''
      })
      return texts.join('\n')
    }, messages)
    expect(expected.trim(), name).not.toBe('')
    const words = wordsOf(expected).filter((word) => !shown.has(word))
    if (words.length > 0) missing[name] = words
  }
  expect(missing).toEqual({})
})
