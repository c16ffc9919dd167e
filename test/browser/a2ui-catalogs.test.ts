import { describe, expect, it } from 'vitest'
import { messages } from './a2ui/messages.ts'
import { surfacePages } from './a2ui/open-page.ts'
import type { TestPage } from './a2ui/page.ts'

// Document 001, "Part 3 — UI surface": a page that has a catalog of its own.

const open = surfacePages()
const catalogId = 'https://harbour.example/catalog.json'
const version = 'v0.9'
const update = (component: object) => ({ version, updateComponents: { surfaceId: 'form', components: [component] } })
const own = (components: readonly object[], data?: unknown) => ({
  data: messages(components, { data, create: { catalogId } }),
})
const hasHarbour = true

const map = (more: object = {}) => ({
  id: 'root',
  component: 'BerthMap',
  title: { call: 'shout', args: { value: { path: '/title' } } },
  berths: [{ name: { path: '/first' }, detail: 'detail' }, { name: 'B9' }],
  chosen: { path: '/chosen' },
  action: { event: { name: 'book', context: { berth: { path: '/chosen' } } } },
  ...more,
})
const detail = { id: 'detail', component: 'Text', text: 'At the pier' }
const data = { title: 'free', first: 'B7', chosen: '' }

describe('a component of the page’s own', () => {
  it('has its values resolved, its children drawn, its styles, and no others', async (test) => {
    const page = await open(test)
    await page.show([own([map(), detail], data)], { hasHarbour })
    expect((await page.text()).replaceAll(/\s+/g, ' ')).toBe(
      'FREE Opened 0 Berth B7 At the pier Berth B9 Chosen: BookRead',
    )
    const berth = page.page.locator('.berth').first()
    expect(await berth.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
    expect([await page.errors(), await page.violations(), page.logged]).toEqual([[], [], []])
  })

  it('writes data, sends actions once, and remembers', async (test) => {
    const page = await open(test)
    await page.show([own([map(), detail], data)], { hasHarbour })
    const press = (name: string) => page.page.getByRole('button', { name, exact: true }).click()
    await press('Berth B9')
    await press('Opened 0')
    await press('Opened 1')
    await page.drawn()
    expect(await page.text()).toMatch(/Opened 2[^]*Chosen: B9/)
    await press('Book')
    await press('Book')
    await page.drawn()
    expect((await page.actions()).map(({ action }) => [action.name, action.context])).toEqual([
      ['book', { berth: 'B9' }],
    ])
    expect(await page.page.locator('section').getAttribute('data-disabled')).toBe('true')
    await page.answer()
    expect(await page.page.locator('section').getAttribute('data-disabled')).toBe('false')
  })

  it('acts only when its checks are met, and opens links only in a click', async (test) => {
    const page = await open(test)
    const condition = { call: 'required', args: { value: { path: '/chosen' } } }
    const link = { functionCall: { call: 'openUrl', args: { url: 'https://harbour.example/' } } }
    await page.show([own([map({ checks: [{ condition, message: 'Choose one.' }], link }), detail], data)], {
      hasHarbour,
    })
    const press = (name: string) => page.page.getByRole('button', { name, exact: true }).click()
    await press('Book')
    await page.drawn()
    expect([await page.actions(), (await page.text()).includes('Choose one.')]).toEqual([[], true])
    await press('Berth B7')
    await press('Read')
    await press('Book')
    await page.drawn()
    expect([(await page.actions()).length, await page.opened()]).toEqual([1, ['https://harbour.example/']])
  })

  it('shows children of a template, and of the Basic Catalog', async (test) => {
    const page = await open(test)
    const pier = { id: 'root', component: 'Pier', boats: { componentId: 'boat', path: '/boats' } }
    const boat = { id: 'boat', component: 'Text', text: { path: 'name' } }
    await page.show([own([pier, boat], { boats: [{ name: 'Ada' }, { name: 'Eve' }] })], { hasHarbour })
    expect(await page.page.locator('li').allTextContents()).toEqual([
      expect.stringContaining('Ada'),
      expect.stringContaining('Eve'),
    ])
    await page.handle({
      data: { version, updateDataModel: { surfaceId: 'form', path: '/boats/2', value: { name: 'Zoe' } } },
    })
    expect(await page.page.locator('li').count()).toBe(3)
  })

  it('that fails is left out, and said to be', async (test) => {
    const page = await open(test)
    const column = { id: 'root', component: 'Column', children: ['broken', 'detail'] }
    await page.show([own([column, { id: 'broken', component: 'Broken' }, detail])], { hasHarbour })
    expect(await page.text()).toBe('At the pier')
    expect((await page.errors()).flatMap(({ problems }) => problems)).toEqual([
      "The Broken 'broken' could not be drawn: The tide is out.",
    ])
  })
})

describe('later messages', () => {
  it('are held to the catalog of their surface', async (test) => {
    const page = await open(test)
    await page.show([own([map(), detail], data)], { hasHarbour })
    await page.handle({ data: update(map({ title: 'Now' })) })
    expect(await page.text()).toContain('Now')
    await page.handle({ data: update(map({ berths: 7 })) })
    await page.handle({ data: update({ id: 'root', component: 'Gauge' }) })
    expect((await page.errors()).flatMap(({ problems }) => problems)).toEqual([
      expect.stringContaining('/updateComponents/components/0/berths: '),
      expect.stringContaining(`which the catalog "${catalogId}" lacks`),
    ])
    expect(await page.text()).toContain('Now')
  })

  it('of a catalog that the page lacks change its words', async (test) => {
    const page = await open(test)
    await page.show([own([{ id: 'root', component: 'Gauge', text: { path: '/level' } }], { level: 'Low water' })])
    expect(await page.text()).toBe('Low water')
    await page.handle({
      data: { version, updateDataModel: { surfaceId: 'form', path: '/level', value: 'High water' } },
    })
    expect(await page.text()).toBe('High water')
    expect(await page.errors()).toEqual([])
  })
})

describe('a renderer is not made with a catalog', () => {
  it.for([
    ['incomplete', "has a component 'BerthMap', and nothing that draws it. Give components.BerthMap."],
    ['without a function', "has a function 'shout', and nothing that runs it. Give functions.shout."],
    ['with a component too many', "has no component 'Ship'"],
    ['twice', 'There are two catalogs with the id'],
  ])('%s', async ([name = '', problem], test) => {
    const page = await open(test)
    const refusal = await page.page.evaluate(
      (one) => (globalThis as unknown as { page: TestPage }).page.refusal(one),
      name,
    )
    expect(refusal).toContain(problem)
  })
})
