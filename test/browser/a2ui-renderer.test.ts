import { describe, expect, it } from 'vitest'
import { emailForm, messages, surfacePart, textSurface } from './a2ui/messages.ts'
import { surfacePages } from './a2ui/open-page.ts'
import type { TestPage } from './a2ui/page.ts'

const open = surfacePages()

describe('what a part may look like', () => {
  const [create, components] = messages([{ id: 'root', component: 'Text', text: 'Here I am' }])

  it.for([
    ['a list', [create, components]],
    ['an object with messages', { messages: [create, components] }],
    ['the combined object', { ...create, ...components }],
    ['the earlier id of the catalog', earlier([create, components])],
  ])('%s', async ([, data], test) => {
    const page = await open(test)
    await page.show([{ partType: 'a2ui-surface', data }])
    expect(await page.text()).toBe('Here I am')
    expect(await page.errors()).toEqual([])
  })

  it('messages one by one, each in a part of its own', async (test) => {
    const page = await open(test)
    await page.show([{ data: create }, { data: components }])
    expect(await page.text()).toBe('Here I am')
  })

  it('words in place of a catalog that is not known', async (test) => {
    const page = await open(test)
    const other = { create: { catalogId: 'https://example.com/other' } }
    const data = messages([{ id: 'root', component: 'Gauge', text: 'Boiler pressure' }], other)
    await page.show([
      { data },
      { data: messages([{ id: 'root', component: 'X' }], { id: 'b', ...other }), text: 'Given' },
    ])
    expect(await page.text()).toMatch(/Boiler pressure[^]*Given/)
    expect(await page.errors()).toEqual([])
  })

  it('nothing of a surface that is wrong, but a message to its sender', async (test) => {
    const page = await open(test)
    await page.show([textSurface('Right', { id: 'right' })])
    await page.handle(surfacePart([{ id: 'root', component: 'Column', children: ['lost'] }], { id: 'wrong' }))
    await page.handle({ data: 'nonsense' })
    await page.handle({ data: { version: 'v0.9', updateDataModel: { surfaceId: 'nowhere', value: 1 } } })
    expect(await page.text()).toBe('Right')
    const errors = await page.errors()
    expect(errors.map(({ surfaceId }) => surfaceId)).toEqual(['wrong', undefined, 'nowhere'])
    expect(errors[0]?.problems.join()).toContain('"lost", which is not there')
    expect(errors[0]?.reply).toEqual({
      version: 'v0.9',
      error: {
        code: 'VALIDATION_FAILED',
        surfaceId: 'wrong',
        path: '/1/updateComponents/components/0/children/0',
        message: errors[0]?.problems.join(' '),
      },
    })
    expect(errors[2]?.problems.join()).toContain('Send createSurface before anything else')
  })

  it('the right ones of later messages', async (test) => {
    const page = await open(test)
    await page.show([textSurface('Before', { id: 'form' })])
    await page.handle({
      data: [
        {
          version: 'v0.9',
          updateComponents: { surfaceId: 'form', components: [{ id: 'root', component: 'Nothing' }] },
        },
        {
          version: 'v0.9',
          updateComponents: { surfaceId: 'form', components: [{ id: 'root', component: 'Text', text: 'After' }] },
        },
      ],
    })
    expect(await page.text()).toBe('After')
    expect(await page.errors()).toHaveLength(1)
  })
})

describe('places', () => {
  it('a surface for the same slot takes the place of the one before', async (test) => {
    const page = await open(test)
    await page.show([
      textSurface('one', { id: 'a', slotKey: 'flights' }),
      textSurface('two', { id: 'b', slotKey: 'hotels' }),
      textSurface('three', { id: 'c', slotKey: 'flights' }),
    ])
    expect(await page.text()).toBe('three\ntwo')
  })

  it('a surface that is created again is replaced where it is, and one that is deleted goes', async (test) => {
    const page = await open(test)
    await page.show([
      textSurface('one', { id: 'a' }),
      textSurface('two', { id: 'b' }),
      textSurface('again', { id: 'a' }),
    ])
    expect(await page.text()).toBe('again\ntwo')
    await page.handle({ data: { version: 'v0.9', deleteSurface: { surfaceId: 'a' } } })
    expect(await page.text()).toBe('two')
  })

  it('a part that comes a second time changes nothing', async (test) => {
    const page = await open(test)
    const part = { ...emailForm(), partId: 't1.1.0' }
    await page.show([part])
    await page.surface.getByLabel('Name').fill('Ada')
    await page.handle(part)
    expect(await page.surface.getByLabel('Name').inputValue()).toBe('Ada')
  })

  it('the renderer of the page shows surfaces and tells of actions by events', async (test) => {
    const page = await open(test)
    const part = surfacePart([
      { id: 'root', component: 'Button', child: 'text', action: { event: { name: 'go', context: {} } } },
      { id: 'text', component: 'Text', text: 'Go' },
    ])
    await page.page.evaluate((given) => {
      const { page: found } = globalThis as unknown as { page: TestPage }
      document.body.addEventListener('a2ui-action', (event) => {
        found.actions.push((event as CustomEvent).detail as (typeof found.actions)[number])
      })
      found.a2uiRenderer.handle(given)
    }, part)
    await page.surface.getByRole('button', { name: 'Go' }).click()
    expect((await page.actions()).map(({ action }) => action.name)).toEqual(['go'])
  })
})

describe('updates', () => {
  const flights = [
    { id: 'root', component: 'Column', children: ['note', 'list'] },
    { id: 'note', component: 'TextField', label: 'Note', value: { path: '/note' } },
    { id: 'list', component: 'List', children: { componentId: 'flight', path: '/flights' } },
    { id: 'flight', component: 'Text', text: { path: 'name' } },
  ]

  it('of the data change only what shows it, and leave focus and typed text alone', async (test) => {
    const page = await open(test)
    await page.show([surfacePart(flights, { data: { note: '', flights: [{ name: 'BA 1' }, { name: 'LH 2' }] } })])
    const note = page.surface.getByLabel('Note')
    await note.click()
    await page.page.keyboard.type('window')
    await page.surface.evaluate((surface) => {
      const root = surface.shadowRoot as ShadowRoot
      const drawn: string[] = []
      Object.assign(globalThis, { drawn })
      for (const text of root.querySelectorAll('.text')) Object.assign(text, { old: true })
      new MutationObserver((records) => {
        for (const { target } of records) drawn.push((target.parentElement ?? target).textContent ?? '')
      }).observe(root, { subtree: true, childList: true, characterData: true })
    })
    await page.handle({
      data: { version: 'v0.9', updateDataModel: { surfaceId: 'form', path: '/flights/1/name', value: 'LH 3' } },
    })
    expect(await page.text()).toMatch(/BA 1\s+LH 3/)
    const drawn = await page.page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn)
    expect(drawn.length).toBeGreaterThan(0)
    expect(drawn.join()).not.toContain('BA 1')
    await page.handle({
      data: {
        version: 'v0.9',
        updateDataModel: {
          surfaceId: 'form',
          value: { note: '', flights: [{ name: 'BA 1' }, { name: 'LH 3' }, { name: 'AF 4' }] },
        },
      },
    })
    expect(await page.text()).toMatch(/BA 1\s+LH 3\s+AF 4/)
    await page.page.keyboard.type(' seat')
    expect(await note.inputValue()).toBe('window seat')
    expect(await page.focused()).toBe('Note')
    const kept = await page.surface.evaluate(
      (surface) =>
        [...(surface.shadowRoot as ShadowRoot).querySelectorAll('.text')].filter((text) => 'old' in text).length,
    )
    expect(kept).toBe(2)
  })

  it('of components replace them, whatever they were', async (test) => {
    const page = await open(test)
    await page.show([textSurface('Wait', { id: 'form' })])
    const update = (components: object[]) => ({
      data: { version: 'v0.9', updateComponents: { surfaceId: 'form', components } },
    })
    await page.handle(update([{ id: 'root', component: 'Column', children: ['later'] }]))
    await page.handle(update([{ id: 'later', component: 'Text', text: 'There it is' }]))
    expect(await page.text()).toBe('There it is')
    await page.handle(update([{ id: 'later', component: 'Divider' }]))
    expect(await page.surface.getByRole('separator').count()).toBe(1)
    expect(await page.text()).toBe('')
  })

  it('from the agent clear a field after what was in it has been sent', async (test) => {
    const page = await open(test)
    const chat = [
      { id: 'root', component: 'Column', children: ['draft', 'send'] },
      { id: 'draft', component: 'TextField', label: 'Message', value: { path: '/draft' } },
      {
        id: 'send',
        component: 'Button',
        child: 'text',
        action: { event: { name: 'say', context: { text: { path: '/draft' } } } },
      },
      { id: 'text', component: 'Text', text: 'Send' },
    ]
    await page.show([surfacePart(chat, { data: { draft: '' } })])
    const draft = page.surface.getByLabel('Message')
    await draft.fill('hello')
    await page.surface.getByRole('button').click()
    await draft.focus()
    await page.handle({ data: { version: 'v0.9', updateDataModel: { surfaceId: 'form', path: '/draft', value: '' } } })
    expect(await draft.inputValue()).toBe('')
    expect((await page.actions())[0]?.action.context).toEqual({ text: 'hello' })
  })
})

function earlier(given: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(given).replaceAll('/catalogs/basic/catalog.json', '/basic_catalog.json'))
}
