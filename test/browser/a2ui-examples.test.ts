import { describe, expect, it } from 'vitest'
import { surfacePages } from './a2ui/open-page.ts'
import { exampleSurfaces } from './a2ui/surface-page.ts'

const open = surfacePages()

describe('the example surfaces of A2UI', () => {
  const examples = exampleSurfaces()

  it('are 43', () => {
    expect(examples).toHaveLength(43)
  })

  it.for([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['high contrast', { contrast: 'more' }],
  ] as const)('show their words without a barrier, in %s', async ([name, options], test) => {
    const page = await open(test, options)
    const problems: Record<string, unknown> = {}
    for (const example of examples) {
      await page.show([{ data: example.messages }])
      const text = await page.text()
      const barriers = await page.barriers(name === 'light' ? undefined : ['color-contrast'])
      if (text.trim() === '' || barriers.length > 0) problems[example.name] = { text, barriers }
    }
    expect(problems).toEqual({})
    expect({ errors: await page.errors(), logged: page.logged, violations: await page.violations() }).toEqual({
      errors: [],
      logged: [],
      violations: [],
    })
  })

  it('fit a phone', async (test) => {
    const page = await open(test, { viewport: { width: 360, height: 640 } })
    const tooWide: string[] = []
    for (const example of examples) {
      await page.show([{ data: example.messages }])
      const width = await page.page.evaluate(() => document.documentElement.scrollWidth)
      if (width > 360) tooWide.push(example.name)
    }
    expect(tooWide).toEqual([])
  })
})
