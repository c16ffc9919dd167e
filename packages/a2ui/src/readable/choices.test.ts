import { describe, expect, test } from 'vitest'
import type { UiNode } from '../builder/node.ts'
import { ui } from '../builder/ui.ts'
import { surfaceChoices, surfaceToHtml, surfaceToText } from './surface-to-text.ts'

const show = (root: UiNode, data: unknown = {}) => ui.surface({ surfaceId: 's', data, root })
const add = (what: string) =>
  ui.button({
    id: `add-${what}`,
    label: 'Add',
    action: ui.action('add', { what }),
    accessibility: { label: `Add: ${what}` },
  })
const card = (what: string) => ui.card(ui.row(ui.text(`**${what}**`), ui.text('£5'), add(what)))
const sort = ui.row(ui.text('Sort'), ui.button({ id: 'sort', label: 'Cheapest', action: ui.action('sort') }))
const form = { firstNumber: 1 }

describe('what can be chosen', () => {
  test('are neighbours that offer the same, each with what can be done with it, and then other buttons', () => {
    const surface = show(ui.column(sort, card('Tea'), card('Coffee')))
    const action = { surfaceId: 's', name: 'add' }
    expect(surfaceChoices(surface)).toEqual([
      {
        kind: 'item',
        title: 'Tea',
        details: '£5',
        actions: [{ ...action, label: 'Add: Tea', sourceComponentId: 'add-Tea', context: { what: 'Tea' } }],
      },
      {
        kind: 'item',
        title: 'Coffee',
        details: '£5',
        actions: [{ ...action, label: 'Add: Coffee', sourceComponentId: 'add-Coffee', context: { what: 'Coffee' } }],
      },
      {
        kind: 'button',
        action: { surfaceId: 's', name: 'sort', label: 'Cheapest', sourceComponentId: 'sort', context: {} },
      },
    ])
    expect(surfaceToText(surface, { form })).toBe('1. Tea: £5\n2. Coffee: £5\n\nSort  [3] Cheapest')
    expect(surfaceToText(surface, { form: { firstNumber: 4 } })).toContain('5. Coffee')
  })

  test('are the items of a list, by the data that they are made of', () => {
    const each = ui.each('/drinks', ({ path }) =>
      ui.row(
        ui.text(path('name')),
        ui.button({ label: 'Add', action: ui.action('add', { id: path('id'), size: ui.bind('/size') }) }),
      ),
    )
    const data = {
      size: 'large',
      drinks: [
        { name: 'Tea', id: 1 },
        { name: 'Coffee', id: 2 },
      ],
    }
    expect(surfaceChoices(show(ui.list(each), data))).toMatchObject([
      { title: 'Tea', actions: [{ context: { id: 1, size: 'large' } }] },
      { title: 'Coffee', actions: [{ context: { id: 2, size: 'large' } }] },
    ])
  })

  test('of a single thing are its buttons', () => {
    const surface = show(ui.column(card('Tea')))
    expect(surfaceChoices(surface)).toMatchObject([{ kind: 'button', action: { label: 'Add: Tea' } }])
    expect(surfaceToText(surface, { form })).toBe('Tea  £5  [1] Add: Tea')
  })

  test('is nothing where nothing is listed or pressed', () => {
    const link = ui.button({ label: 'Open', action: ui.openUrl('https://example.com') })
    expect(surfaceChoices(show(ui.column(ui.text('Hello'), link)))).toEqual([])
    expect(surfaceChoices([])).toEqual([])
  })

  test('says what is seen: an accessible name that is another one does not count', () => {
    const button = ui.button({ label: 'Approve', action: ui.action('x'), accessibility: { label: 'Deny' } })
    expect(surfaceChoices(show(button))).toMatchObject([{ action: { label: 'Approve' } }])
  })
})

describe('in HTML for mail', () => {
  const surface = show(ui.column(sort, card('Tea'), card('<b>Coffee</b>')))

  test('buttons are links where they can be pressed', () => {
    const linkOf = ({ label }: { label: string }) => `https://agent.example/${encodeURIComponent(label)}`
    const html = surfaceToHtml(surface, { form: { ...form, linkOf } })
    expect([...html.matchAll(/href="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      'https://agent.example/Cheapest',
      'https://agent.example/Add%3A%20Tea',
      'https://agent.example/Add%3A%20%3Cb%3ECoffee%3C%2Fb%3E',
    ])
    expect(html).not.toContain('<b>')
    expect(html).toContain('>2.</td>')
  })

  test('buttons that cannot be pressed are not drawn, but have their number', () => {
    const html = surfaceToHtml(surface, { form })
    expect(html).not.toMatch(/<a |Add|inline-table/)
    expect(html).toContain('[3] Cheapest')
  })

  test('a link that would run something is none', () => {
    expect(surfaceToHtml(surface, { form: { ...form, linkOf: () => 'javascript:alert(1)' } })).not.toContain('href')
  })
})

describe('the fields that a button sends', () => {
  const fieldsOf = (...inputs: UiNode[]) => {
    const button = ui.button({ label: 'Go', action: ui.action('go', { to: ui.bind('/to'), word: ui.bind('/word') }) })
    const [choice] = surfaceChoices(show(ui.column(...inputs, button), { to: 'Rome', word: 'x', other: 1 }))
    return choice?.kind === 'button' ? choice.action.fields : undefined
  }
  const to = ui.textField({ label: 'To', value: ui.bind('/to') })

  test('are those whose values it has, and none of others', () => {
    const other = ui.slider({ label: 'Other', value: ui.bind('/other'), max: 9 })
    expect(fieldsOf(to, other)).toEqual([{ name: 'to', label: 'To', kind: 'text' }])
    expect(fieldsOf(other)).toBeUndefined()
  })

  test.each([
    ['a secret', ui.textField({ label: 'Word', value: ui.bind('/word'), variant: 'obscured' })],
    [
      'several options',
      ui.choicePicker({
        value: ui.bind('/word'),
        variant: 'multipleSelection',
        options: [{ label: 'A', value: 'a' }],
      }),
    ],
  ])('are none when one of them is %s, which no form of others may ask for', (_, input) => {
    expect(fieldsOf(to, input)).toBeUndefined()
  })
})
