import { isBeachError, PartTypeRegistry } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { surfaceToHtml, surfaceToText } from '../readable/surface-to-text.ts'
import { registerA2ui } from '../register-a2ui.ts'
import { problemText } from '../validate/problems.ts'
import { validateA2ui } from '../validate/validate-a2ui.ts'
import { knownCatalogs } from './known-catalogs.ts'
import { basicComponents, basicFunctions, type A2uiCatalog, type CatalogSchema } from './a2ui-catalog.ts'

const common = (name: string) => ({ $ref: `https://a2ui.org/specification/v0_9/common_types.json#/$defs/${name}` })

const berth = {
  type: 'object',
  properties: { name: common('DynamicString'), price: common('DynamicNumber'), detail: common('ComponentId') },
  required: ['name'],
  additionalProperties: false,
}

const harbour: A2uiCatalog = {
  catalogId: 'https://harbour.example/catalog.json',
  title: 'What a harbour shows',
  components: {
    ...basicComponents,
    BerthMap: {
      type: 'object',
      allOf: [common('ComponentCommon'), common('Checkable')],
      properties: {
        component: { const: 'BerthMap' },
        title: common('DynamicString'),
        berths: { type: 'array', items: { $ref: '#/$defs/Berth' }, minItems: 1, maxItems: 3 },
        tone: { enum: ['calm', 'rough'] },
        chosen: common('DynamicString'),
        depth: { type: 'number', minimum: 0, exclusiveMaximum: 20 },
        code: { type: 'string', pattern: '^[A-Z]{2}$' },
        action: common('Action'),
      },
      required: ['component', 'berths'],
      unevaluatedProperties: false,
    },
    Menu: {
      type: 'object',
      properties: { items: { $ref: '#/$defs/Items' }, footer: common('ChildList') },
      required: ['items'],
      additionalProperties: false,
    },
  },
  functions: [
    {
      name: 'knots',
      parameters: { type: 'object', properties: { value: common('DynamicNumber') }, required: ['value'] },
      returnType: 'string',
    },
  ],
  theme: { flag: { enum: ['red', 'white'] } },
  $defs: {
    Berth: berth,
    Items: {
      type: 'array',
      items: {
        oneOf: [
          { type: 'string' },
          {
            type: 'object',
            properties: {
              title: common('DynamicString'),
              child: common('ComponentId'),
              items: { $ref: '#/$defs/Items' },
            },
            required: ['title'],
            additionalProperties: false,
          },
        ],
      },
    },
  },
}

const version = 'v0.9'
const { catalogId } = harbour
const update = (...components: readonly object[]) => ({ version, updateComponents: { surfaceId: 's', components } })
const surface = (...components: readonly object[]) => [
  { version, createSurface: { surfaceId: 's', catalogId } },
  update(...components),
]
const map = (more: object = {}) => ({ id: 'root', component: 'BerthMap', berths: [{ name: 'B7' }], ...more })
const catalogs = [harbour]
const problemsOf = (data: unknown, options: object = {}) =>
  validateA2ui(data, { catalogs, ...options }).problems.map((problem) => problemText(problem))
const at = '/1/updateComponents/components'

describe('a surface of a registered catalog', () => {
  test.each<[string, object]>([
    ['has its components', map()],
    ['may bind what is dynamic', map({ chosen: { path: '/berth' }, title: { call: 'knots', args: { value: 4 } } })],
    ['has what every component has', map({ weight: 1, accessibility: { label: 'Berths' } })],
    ['has checks and actions', map({ checks: [], action: { event: { name: 'choose' } }, tone: 'calm', depth: 0 })],
    [
      'has schemas that refer to themselves',
      { id: 'root', component: 'Menu', items: ['a', { title: 'b', items: ['c'] }] },
    ],
  ])('%s', (_, root) => {
    expect(validateA2ui(surface(root), { catalogs })).toEqual({ valid: true, problems: [], unknownCatalogs: [] })
  })

  test.each<[object, string]>([
    [map({ berths: undefined }), `${at}/0: The BerthMap "root" has no 'berths'. Add 'berths'.`],
    [
      map({ berths: [] }),
      `${at}/0/berths: 'berths' of the BerthMap "root" is an array. It must have at least 1 items.`,
    ],
    [map({ berths: [{}] }), `${at}/0/berths/0: 'berths[0]' of the BerthMap "root" has no 'name'. Add 'name'.`],
    [
      map({ berths: [{ name: 'B7', price: 'dear' }] }),
      `${at}/0/berths/0/price: The BerthMap "root" has the string "dear" as 'price'. 'price' must be a number, {"path": "/…"} or {"call": "…", "args": {…}}.`,
    ],
    [
      map({ berths: [{ name: 'B7', colour: 1 }] }),
      `${at}/0/berths/0/colour: 'berths[0]' of the BerthMap "root" has no property "colour". Leave it out. Known are: name, price, detail.`,
    ],
    [
      map({ tone: 'wild' }),
      `${at}/0/tone: The BerthMap "root" has the string "wild" as 'tone'. 'tone' must be one of: calm, rough.`,
    ],
    [
      map({ depth: 20 }),
      `${at}/0/depth: 'depth' of the BerthMap "root" is the number 20. It must have a value of less than 20.`,
    ],
    [
      map({ code: 'x' }),
      `${at}/0/code: The BerthMap "root" has the string "x" as 'code'. 'code' must be a string that fits ^[A-Z]{2}$.`,
    ],
    [
      map({ chosen: { call: 'formatString', args: { value: '' } } }),
      `${at}/0/chosen/call: The BerthMap "root" calls "formatString", which is no function of the catalog "${catalogId}". Use one of: knots.`,
    ],
    [
      map({ chosen: { call: 'knots', args: {} } }),
      `${at}/0/chosen/args: 'args' of the BerthMap "root" has no 'value'. Add 'value'.`,
    ],
    [
      map({ action: {} }),
      `${at}/0/action: The BerthMap "root" has an object as 'action'. 'action' must be {"event": {"name": "…", "context": {…}}} or {"functionCall": {…}}.`,
    ],
    [
      { id: 'root', component: 'Menu', items: [{ title: 7 }] },
      `${at}/0/items/0/title: The Menu "root" has the number 7 as 'title'. 'title' must be a string, {"path": "/…"} or {"call": "…", "args": {…}}.`,
    ],
    [
      { id: 'root', component: 'Menu', items: [true] },
      `${at}/0/items/0: 'items[0]' of the Menu "root" has none of the forms that it may have. Use one of: a value of type 'string'; a value of type 'object'.`,
    ],
  ])('that is wrong says what, and where: %j', (root, problem) => {
    expect(problemsOf(surface(root))).toEqual([problem])
  })

  test('is held to the names of its catalog only', () => {
    const [problem] = problemsOf(surface({ id: 'root', component: 'Gauge' }))
    expect(problem).toMatch(
      /^\/1\/updateComponents\/components\/0\/component: .* is of the type "Gauge", which the catalog "https:\/\/harbour/,
    )
    expect(problem).toContain('Use one of: Text, Image,')
    expect(problem).toContain('BerthMap, Menu.')
  })

  test('refers to components wherever its schema says so', () => {
    const root = map({ berths: [{ name: 'B7', detail: 'text' }] })
    const text = { id: 'text', component: 'Text', text: 'At the pier' }
    expect(problemsOf(surface(root, text))).toEqual([])
    expect(problemsOf(surface(root))).toEqual([
      `${at}/0/berths/0/detail: The component "root" refers to "text", which is not there. Add a component with this id to the list, or refer to one that is there.`,
    ])
    expect(problemsOf(surface(map(), text))).toEqual([
      expect.stringContaining('"text" is not part of what "root" shows'),
    ])
    const nested = { id: 'root', component: 'Menu', items: [{ title: 'a', items: [{ title: 'b', child: 'root' }] }] }
    expect(problemsOf(surface(nested))).toEqual([expect.stringContaining('Components contain each other')])
    const footer = { id: 'root', component: 'Menu', items: ['a'], footer: { componentId: 'text', path: '/all' } }
    expect(problemsOf(surface(footer, text))).toEqual([])
  })

  test('has a theme by its own schema', () => {
    const themed = (theme: object) => [{ version, createSurface: { surfaceId: 's', catalogId, theme } }, update(map())]
    expect(problemsOf(themed({ flag: 'red', primaryColor: 'anything' }))).toEqual([])
    expect(problemsOf(themed({ flag: 'blue' }))).toEqual([expect.stringContaining('/0/createSurface/theme/flag: ')])
  })

  test('takes an end, whatever a schema tries', () => {
    const node = { anyOf: [{ $ref: '#/$defs/List' }, { $ref: '#/$defs/Same' }, { type: 'string' }] }
    const list = { type: 'array', items: { $ref: '#/$defs/Node' } }
    const doubling: A2uiCatalog = {
      catalogId: 'https://doubling.example',
      components: { Tree: { properties: { tree: { $ref: '#/$defs/Node' } } } },
      $defs: { Node: node, List: list, Same: list },
    }
    let tree: unknown = 7
    for (let depth = 0; depth < 40; depth++) tree = [tree]
    const data = [
      { version, createSurface: { surfaceId: 's', catalogId: doubling.catalogId } },
      update({ id: 'root', component: 'Tree', tree }),
    ]
    const { problems } = validateA2ui(data, { catalogs: [doubling] })
    expect(problems.map(({ problem }) => problem).join()).toContain('takes too long to check')
  })
})

describe('an update of a surface that was created before', () => {
  const wrong = update({ id: 'm', component: 'BerthMap', berths: 7 })
  const right = update({ id: 'm', component: 'BerthMap', berths: [{ name: 'B9' }] })

  test('is held to the catalog of its surface', () => {
    const catalogOf = (id: string) => (id === 's' ? catalogId : undefined)
    expect(problemsOf(right, { catalogOf })).toEqual([])
    expect(problemsOf(wrong, { catalogOf })).toEqual([
      expect.stringContaining('/updateComponents/components/0/berths: '),
    ])
  })

  test('is of the Basic Catalog where nothing else is said, and anything where its catalog is not known', () => {
    expect(problemsOf(right)).toEqual([expect.stringContaining('which the Basic Catalog lacks')])
    expect(problemsOf(wrong, { catalogOf: () => undefined })).toEqual([])
    expect(validateA2ui(wrong, { catalogs, catalogOf: () => 'https://other.example' })).toEqual({
      valid: true,
      problems: [],
      unknownCatalogs: ['https://other.example'],
    })
  })
})

describe('a catalog that cannot be enforced is refused, with the place', () => {
  const own = (schema: CatalogSchema, more: object = {}): A2uiCatalog => ({
    catalogId: 'https://own.example',
    components: { Own: schema },
    ...more,
  })
  test.each<[A2uiCatalog | object, string]>([
    [{ components: {} }, 'A catalog of A2UI needs its id as `catalogId`'],
    [
      { catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json' },
      'is the Basic Catalog, which every agent has',
    ],
    [{ catalogId: 'https://own.example' }, '/components has no component'],
    [{ catalogId: 'https://own.example', components: [] }, '/components is an array, and no object'],
    [
      own({ properties: { a: { patternProperties: {} } } }),
      '/components/Own/properties/a has "patternProperties", which is not checked here',
    ],
    [own({ properties: { a: { type: 'text' } } }), '/components/Own/properties/a/type must be one of: string,'],
    [own({ properties: { a: { pattern: '(?=x)' } } }), '/components/Own/properties/a/pattern has a pattern that'],
    [
      own({ properties: { a: { $ref: 'https://elsewhere.example/x.json' } } }),
      '/components/Own/properties/a/$ref refers to "https://elsewhere.example/x.json"',
    ],
    [
      own({ properties: { a: { $ref: '#/$defs/None' } } }),
      '/components/Own/properties/a/$ref refers to "#/$defs/None", which is not there',
    ],
    [own({ oneOf: [] }), '/components/Own/oneOf must be a list of schemas'],
    [
      own({ $ref: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json#/components/Gauge' }),
      '/components/Own/$ref names "Gauge", which the Basic Catalog lacks',
    ],
    [
      own({}, { functions: [{ name: 'x', parameters: {}, returnType: 'text' }] }),
      '/functions/0/returnType must be one of: string,',
    ],
    [own({}, { functions: { x: {} } }), '/functions/x must be the schema of a call'],
    [own({}, { theme: 7 }), '/theme must be an object'],
  ])('%j', (catalog, problem) => {
    try {
      knownCatalogs([catalog as A2uiCatalog])
      expect.unreachable()
    } catch (error) {
      expect(isBeachError(error, 'INVALID_REGISTRATION') && error.message).toContain(problem)
    }
  })

  test('as are two with one id', () => {
    expect(() => validateA2ui([], { catalogs: [harbour, { ...harbour }] })).toThrow('two catalogs with the id')
  })
})

describe('in words', () => {
  const shown = [
    { version, createSurface: { surfaceId: 's', catalogId } },
    { version, updateDataModel: { surfaceId: 's', value: { chosen: 'B7', speed: 12 } } },
    update(
      { id: 'root', component: 'Column', children: ['map', 'speed'] },
      {
        ...map({ id: 'map', title: 'Free **berths**', tone: 'calm', chosen: { path: '/chosen' } }),
        berths: [
          { name: 'B7', price: 40, detail: 'pier' },
          { name: 'B9', price: 35 },
        ],
        action: { event: { name: 'choose_berth' } },
      },
      { id: 'pier', component: 'Text', text: 'At the pier' },
      { id: 'speed', component: 'Text', text: { call: 'knots', args: { value: { path: '/speed' } } } },
    ),
  ]

  test('a component of the catalog shows its texts, values, actions and children', () => {
    const text = surfaceToText(shown, { catalogs })
    expect(text).toBe(
      [
        'Free berths',
        '',
        'Berths:',
        '  Name  Price',
        '  B7    40',
        '  B9    35',
        '',
        'Chosen: B7',
        '[Choose berth]',
        'At the pier',
        '',
        '12',
      ].join('\n'),
    )
    const html = surfaceToHtml(shown, { catalogs })
    for (const word of ['Free', 'B9', 'Choose berth', 'At the pier']) expect(html).toContain(word)
  })

  test('an update is read by the catalog that its surface has', () => {
    const later = update(map({ id: 'map', title: 'Now free' }))
    expect(surfaceToText(later, { catalogs, catalogOf: () => catalogId })).toBe('Now free\n\nBerths:\n  Name\n  B7')
    const partTypes = PartTypeRegistry.canonical()
    registerA2ui(partTypes, knownCatalogs(catalogs))
    const part = { data: later, metadata: { partType: 'a2ui-surface', surfaceCatalogs: { s: catalogId } } }
    expect(partTypes.get('a2ui-surface')?.toText?.(part)).toContain('Now free')
  })

  test('of a catalog that is not known: what is likely to be said, or what assistive technologies are told', () => {
    const other = JSON.parse(JSON.stringify(shown).replaceAll(catalogId, 'https://other.example')) as unknown
    expect(surfaceToText(other)).toBe('Free berths\n12')
    const silent = surface({ id: 'root', component: 'Gauge', level: 3, accessibility: { label: 'Water level' } })
    expect(surfaceToText(silent)).toBe('Water level')
  })
})

describe('a registry of part types', () => {
  test('has the catalogs of the last who brought some', () => {
    const partTypes = PartTypeRegistry.canonical()
    const part = { data: surface({ id: 'root', component: 'Gauge' }), metadata: { partType: 'a2ui-surface' } }
    const problems = () => partTypes.get('a2ui-surface')?.validate?.(part)
    registerA2ui(partTypes)
    expect(problems()).toEqual([])
    registerA2ui(partTypes, knownCatalogs(catalogs))
    expect(problems()).toHaveLength(1)
    registerA2ui(partTypes)
    expect(problems()).toHaveLength(1)
  })
})

test('functions of the Basic Catalog can be had too', () => {
  const both: A2uiCatalog = {
    catalogId: 'https://both.example',
    components: basicComponents,
    functions: basicFunctions,
  }
  const data = [
    { version, createSurface: { surfaceId: 's', catalogId: both.catalogId } },
    update({ id: 'root', component: 'Text', text: { call: 'formatString', args: { value: 'Hi ${/name}' } } }),
  ]
  expect(validateA2ui(data, { catalogs: [both] }).problems).toEqual([])
})
