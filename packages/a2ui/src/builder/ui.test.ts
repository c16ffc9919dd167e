import { isBeachError } from '@cool-ai/beach-core'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { basicCatalogId } from '../messages.ts'
import { validateA2ui } from '../validate/validate-a2ui.ts'
import { ui } from './ui.ts'
import type { Binding } from './values.ts'

interface Flight {
  readonly flightNo: string
  readonly price: number
  readonly direct: boolean
  readonly stops?: readonly { readonly airport: string }[]
}

interface Flights {
  readonly title: string
  readonly flights: readonly Flight[]
  readonly query: { readonly from: string; readonly 'a/b': number } | undefined
}

const flights: Flights = {
  title: 'To Corfu',
  flights: [
    { flightNo: 'BA 2043', price: 187, direct: true },
    { flightNo: 'OS 87', price: 203, direct: false, stops: [{ airport: 'VIE' }] },
  ],
  query: { from: 'LGW', 'a/b': 1 },
}

const version = 'v0.9'

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isBeachError(error, 'INVALID_PART')) return error.message
    throw error
  }
  throw new Error('This was expected to throw.')
}

describe('ui', () => {
  test('nodes inside one another become a flat list with ids that follow from their places', () => {
    const messages = ui.surface({
      surfaceId: 's',
      root: ui.card(
        ui.column(
          ui.text('Hello', { variant: 'h2' }),
          ui.button({ label: 'Book', action: ui.action('book', { id: 'f1' }), variant: 'primary' }),
        ),
      ),
    })
    expect(messages).toEqual([
      { version, createSurface: { surfaceId: 's', catalogId: basicCatalogId } },
      {
        version,
        updateComponents: {
          surfaceId: 's',
          components: [
            { id: 'root', component: 'Card', child: 'root.child' },
            {
              id: 'root.child',
              component: 'Column',
              children: ['root.child.0', 'root.child.1'],
            },
            { id: 'root.child.0', component: 'Text', text: 'Hello', variant: 'h2' },
            {
              id: 'root.child.1',
              component: 'Button',
              child: 'root.child.1.child',
              action: { event: { name: 'book', context: { id: 'f1' } } },
              variant: 'primary',
            },
            { id: 'root.child.1.child', component: 'Text', text: 'Book' },
          ],
        },
      },
    ])
  })

  test('data goes before the components; templates have relative paths', () => {
    const messages = ui.surface({
      surfaceId: 'flights',
      data: flights,
      sendDataModel: true,
      root: ({ path, each }) =>
        ui.column(
          ui.text(path('/title')),
          ui.list(
            each('/flights', ({ path: of, each: eachOf }) =>
              ui.row(
                ui.text(of('flightNo')),
                ui.text(ui.formatCurrency(of('price'), 'EUR')),
                ui.column(eachOf('stops', ({ path: at }) => ui.text(at('airport')))),
                ui.text(of('/query/from')),
              ),
            ),
          ),
        ),
    })
    expect(messages.map((message) => Object.keys(message)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
    expect(messages[1]).toEqual({ version, updateDataModel: { surfaceId: 'flights', path: '/', value: flights } })
    expect(JSON.stringify(messages[2])).toContain('"children":{"componentId":"root.1.item","path":"/flights"}')
    expect(JSON.stringify(messages[2])).toContain('{"path":"airport"}')
    expect(validateA2ui(messages).valid).toBe(true)
  })

  test('paths are checked against the type of the data', () => {
    const { path, each } = ui.pathsOf<Flights>()
    expectTypeOf(path('/title')).toEqualTypeOf<Binding<string>>()
    expectTypeOf(path('/flights/0/price')).toEqualTypeOf<Binding<number>>()
    expectTypeOf(path('/query/a~1b')).toEqualTypeOf<Binding<number>>()
    expectTypeOf(path('/flights/1/stops/0/airport')).toEqualTypeOf<Binding<string>>()
    expectTypeOf(ui.bind('/whatever')).toEqualTypeOf<Binding>()
    // @ts-expect-error there is no such value
    path('/titel')
    // @ts-expect-error an item of a list has a number
    path('/flights/price')
    // @ts-expect-error only lists have items
    each('/title', () => ui.divider())
    each('/flights', (flight) => {
      expectTypeOf(flight.path('direct')).toEqualTypeOf<Binding<boolean>>()
      expectTypeOf(flight.path('/title')).toEqualTypeOf<Binding<string>>()
      // @ts-expect-error items have no such value
      flight.path('title')
      // @ts-expect-error a number is no condition
      ui.checkBox({ label: 'Direct', value: flight.path('price') })
      // @ts-expect-error an address is a text
      ui.image(flight.path('stops'))
      return ui.checkBox({ label: 'Direct', value: flight.path('direct') })
    })
    const { path: anywhere } = ui.pathsOf<{ readonly items: Record<string, unknown>; readonly any: unknown }>()
    expectTypeOf(anywhere('/items/x')).toEqualTypeOf<Binding>()
    expectTypeOf(anywhere('/any/thing/else')).toEqualTypeOf<Binding>()
    const names = ui.pathsOf<readonly string[]>()
    names.each('', (name) => {
      expectTypeOf(name.path('')).toEqualTypeOf<Binding<string>>()
      return ui.text(name.path(''))
    })
  })

  test('values of the wrong type are refused by the compiler', () => {
    // @ts-expect-error no such variant
    ui.text('x', { variant: 'h9' })
    // @ts-expect-error no such icon
    ui.icon('unicorn')
    // @ts-expect-error a context has no plain objects
    ui.action('x', { a: { b: 1 } })
    // @ts-expect-error nor null
    ui.action('x', { a: null })
    // @ts-expect-error a text is no condition
    ui.check(ui.formatString('x'), 'message')
    // @ts-expect-error a length needs a limit
    ui.length('x', {})
    // @ts-expect-error two conditions at least
    ui.and(true)
    // @ts-expect-error a label or a child
    ui.button({ action: ui.action('x') })
    // @ts-expect-error one tab at least
    ui.tabs([])
  })

  test('children that are not there are left out', () => {
    const messages = ui.surface({
      surfaceId: 's',
      root: ui.row({ align: 'center' }, ui.text('a'), false, null, undefined),
    })
    expect(messages[1]).toMatchObject({
      updateComponents: { components: [{ children: ['root.0'], align: 'center' }, { text: 'a' }] },
    })
  })

  test('all 18 components and 14 functions are there, and are valid', () => {
    const value = ui.bind('/value')
    const messages = ui.surface({
      surfaceId: 's',
      data: { value: 'x', list: [1] },
      theme: { primaryColor: '#00BFFF', agentDisplayName: 'Agent' },
      root: ui.column(
        ui.text(ui.formatString('Hello ${/value}'), { id: 'hello', weight: 1 }),
        ui.image('https://example.com/a.png', { description: 'A', fit: 'cover', variant: 'header' }),
        ui.icon('star', { accessibility: { label: 'A star', description: value } }),
        ui.icon({ svgPath: 'M0 0h1' }),
        ui.video('https://example.com/a.mp4'),
        ui.audioPlayer(value, { description: 'A song' }),
        ui.row({ justify: 'spaceBetween' }, ui.divider({ axis: 'vertical' })),
        ui.list(
          { direction: 'horizontal' },
          ui.each('/list', ({ path }) => ui.text(path(''))),
        ),
        ui.card(ui.text(ui.formatNumber(value, { decimals: 2, grouping: false }))),
        ui.tabs([{ title: 'One', child: ui.text(ui.formatCurrency(1, 'EUR')) }]),
        ui.modal({ trigger: ui.text('Open'), content: ui.text(ui.formatDate(value, 'd MMM')) }),
        ui.button({ child: ui.icon('send'), action: ui.openUrl('https://example.com') }),
        ui.textField({
          label: ui.pluralize(2, { one: 'Thing', other: 'Things' }),
          value,
          variant: 'longText',
          validationRegexp: '^a',
          checks: [
            ui.check(ui.required(value), 'Needed'),
            ui.check(ui.and(ui.regex(value, /^\d+$/), ui.or(ui.email(value), ui.not(true))), 'No'),
            ui.check(ui.length(value, { min: 1, max: 3 }), 'Too long'),
          ],
        }),
        ui.checkBox({ label: 'Yes', value }),
        ui.choicePicker({
          options: [{ label: 'A', value: 'a' }],
          value: ['a'],
          variant: 'multipleSelection',
          displayStyle: 'chips',
          filterable: true,
        }),
        ui.slider({ value, max: 10, min: 1, checks: [ui.check(ui.numeric(value, { max: 5 }), 'Less')] }),
        ui.dateTimeInput({ value, enableDate: true, min: '2026-01-01', max: value }),
      ),
    })
    const text = JSON.stringify(messages)
    const used = (key: string) =>
      new Set([...text.matchAll(new RegExp(`"${key}":"(\\w+)"`, 'g'))].map(([, name]) => name))
    expect(used('component').size).toBe(18)
    expect(used('call').size).toBe(14)
    expect(validateA2ui(messages).problems).toEqual([])
  })

  test('what cannot be valid is refused with what is wrong', () => {
    const two = ui.row(ui.text('a', { id: 'x' }), ui.text('b', { id: 'x' }))
    expect(messageOf(() => ui.surface({ surfaceId: 's', root: two }))).toContain("Two components have the id 'x'.")
    const named = ui.text('a', { id: 'title' })
    expect(messageOf(() => ui.surface({ surfaceId: 's', root: named }))).toContain("Leave out its id 'title'.")
    expect(messageOf(() => ui.bind('/a~b'))).toContain("'~'")
    expect(messageOf(() => ui.bind('/__proto__/x'))).toContain('__proto__')
    const script = ui.button({ label: 'x', action: ui.openUrl('javascript:alert(1)') })
    expect(messageOf(() => ui.surface({ surfaceId: 's', root: script }))).toContain('a complete address')
    const circular: Record<string, unknown> = {}
    circular.self = circular
    expect(messageOf(() => ui.surface({ surfaceId: 's', data: circular, root: ui.divider() }))).toContain(
      'must be JSON',
    )
  })

  test('a surface can be changed and deleted', () => {
    expect(ui.updateData('s', '/a', 1)).toEqual([
      { version, updateDataModel: { surfaceId: 's', path: '/a', value: 1 } },
    ])
    expect(ui.updateData('s', '/a')).toEqual([{ version, updateDataModel: { surfaceId: 's', path: '/a' } }])
    expect(ui.updateComponents('s', { left: ui.card(ui.text('x')) })).toEqual([
      {
        version,
        updateComponents: {
          surfaceId: 's',
          components: [
            { id: 'left', component: 'Card', child: 'left.child' },
            { id: 'left.child', component: 'Text', text: 'x' },
          ],
        },
      },
    ])
    expect(ui.deleteSurface('s')).toEqual([{ version, deleteSurface: { surfaceId: 's' } }])
  })

  test('a node by itself becomes a surface, with the data that it shows', () => {
    const plain = ui.list(ui.text('a')).toSurface('kind', { secret: 1 })
    expect(plain.map((message) => Object.keys(message)[1])).toEqual(['createSurface', 'updateComponents'])
    const bound = ui.list(ui.each('/flights', ({ path }) => ui.text(path('flightNo')))).toSurface('kind', flights)
    expect(bound[1]).toEqual({ version, updateDataModel: { surfaceId: 'kind', path: '/', value: flights } })
  })
})
