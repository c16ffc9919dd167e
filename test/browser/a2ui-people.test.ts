import { describe, expect, it } from 'vitest'
import { contrast, luminance } from '../support/colour.ts'
import { emailForm, surfacePart } from './a2ui/messages.ts'
import { surfacePages } from './a2ui/open-page.ts'
import { exampleSurface, type SurfacePage } from './a2ui/surface-page.ts'

const open = surfacePages()

describe('for every reader', () => {
  const day = { id: 'day', component: 'DateTimeInput', label: 'Day', value: { path: '/day' }, enableDate: true }
  const heading = (id: string, variant: string) => ({ id, component: 'Text', text: id, variant })
  const shown = (components: readonly object[], value: object) =>
    surfacePart(
      [
        { id: 'root', component: 'Column', children: components.map((one) => (one as { id: string }).id) },
        ...components,
      ],
      { data: value },
    )

  it('a date reads the same whatever the browser’s language, and can be typed', async (test) => {
    const page = await open(test)
    await page.show([shown([day], { day: '2026-09-08' })])
    const written = page.surface.locator('.written')
    await written.waitFor()
    expect(await written.innerText()).toBe('Tue 8 Sep 2026')
    const field = page.surface.getByLabel('Day')
    expect(await field.inputValue()).toBe('2026-09-08')
    await field.focus()
    expect(await written.isVisible(), 'what is typed shows').toBe(false)
    await field.fill('2026-09-09')
    await field.blur()
    await page.drawn()
    expect(await written.innerText()).toBe('Wed 9 Sep 2026')
    expect(await page.barriers()).toEqual([])
  })

  it('headings leave no level out, whichever variants a surface uses', async (test) => {
    const page = await open(test)
    await page.show([shown([heading('Below', 'h5'), heading('Top', 'h3'), heading('Again', 'h5')], {})])
    await page.drawn()
    const levels = await page.surface
      .locator(':is(h1, h2, h3, h4, h5, h6)')
      .evaluateAll((nodes) => nodes.map((node) => [node.tagName, node.className]))
    expect(levels).toEqual([
      ['H3', 'h5'],
      ['H2', 'h3'],
      ['H3', 'h5'],
    ])
  })
})

describe('by keyboard alone', () => {
  it('a form is filled in, told what is wrong, mended and sent', async (test) => {
    const page = await open(test)
    await page.show([emailForm()])
    const { keyboard } = page.page
    await keyboard.press('Tab')
    expect(await page.focused()).toBe('Name')
    await keyboard.type('Ada')
    await keyboard.press('Tab')
    await keyboard.type('ada')
    await keyboard.press('Tab')
    expect(await page.focused()).toBe('Continue')
    await keyboard.press('Enter')
    await page.drawn()
    expect(await page.actions()).toEqual([])
    expect(await page.focused()).toBe('Email')
    const email = page.surface.getByLabel('Email')
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    expect(await page.surface.getByRole('alert').allInnerTexts()).toEqual([
      'That is no address.',
      'Please give an address.',
    ])
    expect(await page.barriers()).toEqual([])
    await page.picture('form-problems')
    await keyboard.press('End')
    await keyboard.type('@example.com')
    await page.drawn()
    expect(await page.surface.getByRole('alert').count()).toBe(0)
    await keyboard.press('Tab')
    await keyboard.press('Space')
    expect((await page.actions()).map(({ action }) => action.context)).toEqual([{ who: 'Ada', trip: 'T1' }])
  })

  it('a surface that is made anew while the user types leaves the focus where it was', async (test) => {
    const page = await open(test)
    const sorted = (by: string) =>
      surfacePart([
        { id: 'root', component: 'Column', children: ['text', 'price', 'time'] },
        { id: 'text', component: 'Text', text: `Sorted by ${by}` },
        ...['price', 'time'].flatMap((name) => [
          { id: name, component: 'Button', child: `${name}-text`, action: { event: { name: `by-${name}` } } },
          { id: `${name}-text`, component: 'Text', text: `By ${name}` },
        ]),
      ])
    await page.show([sorted('nothing')])
    await page.page.keyboard.press('Tab')
    await page.page.keyboard.press('Tab')
    await page.page.keyboard.press('Enter')
    await page.handle(sorted('time'))
    expect(await page.text()).toContain('Sorted by time')
    expect(await page.focused()).toBe('By time')
    expect(await page.announced()).toBe('Sorted by time')
  })

  it('tabs are changed with the arrow keys', async (test) => {
    const page = await open(test)
    await page.show([{ data: exampleSurface('Recipe Card').messages }])
    const { keyboard } = page.page
    const selected = page.surface.getByRole('tab', { selected: true })
    await keyboard.press('Tab')
    expect(await page.focused()).toBe('Overview')
    await keyboard.press('ArrowRight')
    await page.drawn()
    expect([await page.focused(), await selected.textContent()].map((text) => text?.trim())).toEqual([
      'Ingredients',
      'Ingredients',
    ])
    expect(await page.surface.getByRole('tabpanel').count()).toBe(1)
    expect(await page.barriers()).toEqual([])
    await keyboard.press('End')
    await page.drawn()
    expect(await page.focused()).toBe('Instructions')
    await keyboard.press('ArrowRight')
    await page.drawn()
    expect(await page.focused()).toBe('Overview')
  })

  it('a dialog keeps the focus, closes on Escape and gives the focus back', async (test) => {
    const page = await open(test)
    await page.show([{ data: exampleSurface('Modal Sample').messages }])
    const { keyboard } = page.page
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    const dialog = page.surface.getByRole('dialog', { name: 'Open Modal' })
    await dialog.waitFor()
    expect(await dialog.textContent()).toContain('This is the content inside the modal.')
    expect(await page.focused()).toBe('Close')
    expect(await page.barriers()).toEqual([])
    await page.picture('dialog')
    for (let step = 0; step < 3; step++) {
      await keyboard.press('Tab')
      expect(['Close', 'Surfaces']).toContain(
        await page.focused().then((name) => (name === 'Close' ? name : 'Surfaces')),
      )
      const isOutside = await page.surface.evaluate((surface) => {
        const active = surface.shadowRoot?.activeElement
        return active !== null && active !== undefined && active.closest('dialog') === null
      })
      expect(isOutside).toBe(false)
    }
    await keyboard.press('Escape')
    await page.drawn()
    expect(await dialog.isVisible()).toBe(false)
    expect(await page.focused()).toBe('Open Modal')
    expect(await page.actions()).toEqual([])
  })
})

describe('users of assistive technology', () => {
  it('hear names, descriptions and what is new', async (test) => {
    const page = await open(test)
    const spoken = { label: 'Your seat', description: 'By the window if possible.' }
    await page.show([
      surfacePart(
        [
          {
            id: 'root',
            component: 'Column',
            children: ['title', 'seat', 'tall', 'class', 'when', 'bags', 'play', 'stars'],
          },
          { id: 'title', component: 'Text', text: 'Choose a seat', variant: 'h1' },
          { id: 'seat', component: 'TextField', label: 'Seat', accessibility: spoken, value: { path: '/seat' } },
          { id: 'tall', component: 'CheckBox', label: 'I am tall', value: { path: '/tall' } },
          {
            id: 'class',
            component: 'ChoicePicker',
            label: 'Class',
            value: { path: '/class' },
            filterable: true,
            options: [
              { label: 'Economy', value: 'e' },
              { label: 'Business', value: 'b' },
            ],
          },
          { id: 'when', component: 'DateTimeInput', label: 'Day', enableDate: true, value: { path: '/day' } },
          { id: 'bags', component: 'Slider', label: 'Bags', min: 0, max: 5, value: { path: '/bags' } },
          { id: 'play', component: 'Button', child: 'icon', action: { event: { name: 'play' } } },
          { id: 'icon', component: 'Icon', name: 'skipNext' },
          { id: 'stars', component: 'Text', text: '★★★★☆', accessibility: { label: 'Four of five stars' } },
        ],
        { data: { seat: '', tall: false, class: ['e'], day: '2026-05-01', bags: 1 } },
      ),
    ])
    const { surface } = page
    expect(await surface.getByRole('heading', { level: 2, name: 'Choose a seat' }).count()).toBe(1)
    const seat = surface.getByRole('textbox', { name: 'Your seat' })
    expect(
      await seat.evaluate((input) => {
        const id = input.getAttribute('aria-describedby') ?? ''
        return (input.getRootNode() as ShadowRoot).querySelector(`#${id}`)?.textContent
      }),
    ).toBe('By the window if possible.')
    await surface.getByText('I am tall').click()
    expect(await surface.getByRole('checkbox', { name: 'I am tall' }).isChecked()).toBe(true)
    await surface.getByRole('group', { name: 'Class' }).getByRole('radio', { name: 'Business' }).check()
    await surface.getByRole('searchbox', { name: 'Filter Class' }).fill('eco')
    expect(await surface.getByRole('radio').count()).toBe(1)
    expect(await surface.getByLabel('Day').inputValue()).toBe('2026-05-01')
    await surface.getByRole('slider', { name: 'Bags' }).press('ArrowRight')
    expect(await surface.getByRole('slider').inputValue()).toBe('2')
    expect(await surface.getByRole('button', { name: 'Skip next' }).count()).toBe(1)
    expect(await surface.getByText('Four of five stars').count()).toBe(1)
    expect(await page.announced()).toBe('Choose a seat')
    expect(await page.barriers()).toEqual([])
  })
})

describe('themes', () => {
  const card = (part: string) => `beach-surface >> ${part}`
  const colour = (page: SurfacePage, part: string, property: 'color' | 'backgroundColor') =>
    page.page
      .locator(card(part))
      .first()
      .evaluate((node, name) => getComputedStyle(node)[name], property)

  it.for([
    ['dark, by data-theme of the page', { colorScheme: 'light' }, 'dark', undefined, true],
    ['light, by data-theme of the page', { colorScheme: 'dark' }, 'light', undefined, false],
    ['dark, as the renderer was told', { colorScheme: 'light' }, undefined, 'dark', true],
    ['contrast, by data-theme of the page', { colorScheme: 'light' }, 'contrast', undefined, false],
  ] as const)('%s', async ([name, options, attribute, theme, isDark], test) => {
    const page = await open(test, options)
    await page.page.evaluate((value) => {
      if (value !== undefined) document.documentElement.dataset.theme = value
    }, attribute)
    await page.show([emailForm({ theme: { primaryColor: '#FFD54F', agentDisplayName: 'Sunny Tours' } })], {
      ...(theme !== undefined && { theme }),
    })
    const ground = await colour(page, '.card', 'backgroundColor')
    expect(luminance(ground) < 0.2).toBe(isDark)
    const ratio = contrast(await colour(page, '.card .h2', 'color'), ground)
    expect(ratio).toBeGreaterThan(name.startsWith('contrast') ? 20 : 7)
    const button = await colour(page, '.button', 'backgroundColor')
    expect(contrast(await colour(page, '.button', 'color'), button)).toBeGreaterThan(4.5)
    if (!name.startsWith('contrast')) expect(button).toBe('rgb(255, 213, 79)')
    expect(await page.text()).toContain('Sunny Tours')
    await page.picture(`theme-${name.replaceAll(/\W+/g, '-')}`)
  })

  it('a page restyles surfaces by custom properties', async (test) => {
    const page = await open(test)
    await page.page.evaluate(() => document.body.style.setProperty('--a2ui-color-surface', 'rgb(1, 2, 3)'))
    await page.show([emailForm()])
    expect(await colour(page, '.card', 'backgroundColor')).toBe('rgb(1, 2, 3)')
  })
})
