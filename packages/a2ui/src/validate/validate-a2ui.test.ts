import { describe, expect, test } from 'vitest'
import { basicCatalogIds } from '../messages.ts'
import { a2uiLimits } from './limits.ts'
import { problemText } from './problems.ts'
import { validateA2ui } from './validate-a2ui.ts'

const version = 'v0.9'
const [catalogId = '', earlierId = ''] = basicCatalogIds
const create = { version, createSurface: { surfaceId: 's', catalogId } }
const update = (...components: unknown[]) => ({ version, updateComponents: { surfaceId: 's', components } })
const data = (value: unknown, path?: string) => ({
  version,
  updateDataModel: { surfaceId: 's', ...(path !== undefined && { path }), value },
})
const text = (id: string, content: unknown = 'x') => ({ id, component: 'Text', text: content })
const column = (id: string, children: unknown) => ({ id, component: 'Column', children })
const problems = (...messages: unknown[]) => validateA2ui(messages).problems.map((problem) => problemText(problem))

describe('what is given', () => {
  const messages = [create, data({ a: 1 }), update(text('root'))]
  const combined = Object.assign({}, ...messages) as object

  test.each([
    ['one message', create],
    ['a list', messages],
    ['a list of lists', [messages.slice(0, 1), messages.slice(1)]],
    ['an object with messages', { messages }],
    ['the combined object of the specification', combined],
    ['a list of combined objects', [combined]],
    ['version 0.9.1', { ...create, version: 'v0.9.1' }],
    ['the earlier id of the catalog', { version, createSurface: { surfaceId: 's', catalogId: earlierId } }],
  ])('may be %s', (_, given) => {
    expect(validateA2ui(given)).toEqual({ valid: true, problems: [], unknownCatalogs: [] })
  })

  test.each([
    ['nothing', undefined, 'There is nothing where a message should be. A message is an object with "version"'],
    ['a text', 'hello', 'There is the string "hello" where a message should be.'],
    ['an empty list', [], 'There is no message. Give at least one A2UI message.'],
    [
      'no version',
      { createSurface: create.createSurface },
      '/version: A message has no version. Add "version": "v0.9".',
    ],
    ['another version', { ...create, version: 'v0.8' }, '/version: A message has the string "v0.8" as version.'],
    ['no kind', { version }, 'A message says nothing. Give one of: createSurface,'],
    ['A2UI 0.8', { version, beginRendering: {} }, 'What is there is from A2UI 0.8.'],
    ['further properties', { ...create, extra: 1 }, 'A message has no property "extra". Leave it out.'],
    ['a wrapper with more', { messages: [create], name: 'x' }, '/name: The list of messages has no property "name".'],
    ['a body of another kind', { version, deleteSurface: 's' }, '/deleteSurface: deleteSurface has the string "s".'],
    [
      'a body that lacks something',
      { version, createSurface: { surfaceId: 's' } },
      "createSurface has no 'catalogId'.",
    ],
    ['a class’s instance', new Map([['version', version]]), 'There is an object where a message should be.'],
  ])('may not be %s', (_, given, expected) => {
    const { valid, problems: found } = validateA2ui(given)
    expect(valid).toBe(false)
    expect(found.map((problem) => problemText(problem)).join('\n')).toContain(expected)
  })

  test('a catalog that is not known is no error; its components are not judged', () => {
    const other = { version, createSurface: { surfaceId: 's', catalogId: 'https://example.com/mine.json' } }
    expect(validateA2ui([other, update({ id: 'a', component: 'Hologram', size: 3 })])).toEqual({
      valid: true,
      problems: [],
      unknownCatalogs: ['https://example.com/mine.json'],
    })
    expect(validateA2ui([other, update()]).valid).toBe(false)
  })
})

describe('a component', () => {
  test.each([
    [
      'of no known type',
      { id: 'a', component: 'Hologram' },
      '/0/component: The component "a" is of the type "Hologram"',
    ],
    ['without a type', { id: 'a' }, 'The component "a" has nothing as \'component\''],
    ['in the form of 0.8', { id: 'a', component: { Text: {} } }, 'That is the form of A2UI 0.8.'],
    ['without an id', { component: 'Text', text: 'x' }, "The Text without an id has no 'id'. Add 'id'."],
    ['that lacks a property', { id: 'a', component: 'Text' }, "The Text \"a\" has no 'text'. Add 'text'."],
    [
      'with one too many',
      { ...text('a'), size: 3 },
      'The Text "a" has no property "size". Leave it out. Known are: id,',
    ],
    [
      'with a value of another type',
      text('a', 5),
      "The Text \"a\" has the number 5 as 'text'. 'text' must be a string",
    ],
    ['with null', text('a', null), "has null as 'text'"],
    ['with a literal of 0.8', text('a', { literalString: 'x' }), "without 'literal…' around it"],
    [
      'with a child inside it',
      { id: 'a', component: 'Card', child: text('b') },
      'Components are not written inside one',
    ],
    ['with children inside it', column('a', [text('b')]), 'give that id here'],
    ['with half a template', column('a', { path: '/x' }), 'The template of The Column "a" has no \'componentId\'.'],
    ['with an action that is a name', { id: 'a', component: 'Button', child: 'b', action: 'go' }, '{"event": {"name"'],
    [
      'with an object in a context',
      { id: 'a', component: 'Button', child: 'b', action: { event: { name: 'go', context: { x: { y: 1 } } } } },
      '/action/event/context/x: The Button "a" has an object as \'x\'.',
    ],
    [
      'with a broken pattern',
      { id: 'a', component: 'TextField', label: 'x', validationRegexp: '(' },
      'a regular expression',
    ],
    [
      'with a pattern that looks ahead',
      { id: 'a', component: 'TextField', label: 'x', validationRegexp: '^(?=.*a).*b$' },
      'looks ahead or back, or changes flags, and cannot be checked. Look neither ahead nor back',
    ],
    [
      'with a pattern that repeats too much',
      { id: 'a', component: 'TextField', label: 'x', validationRegexp: '^(a{50}){50}$' },
      'repeats too much, and cannot be checked.',
    ],
    [
      'with a bad date',
      { id: 'a', component: 'DateTimeInput', value: '', min: 'soon' },
      "Write a date as '2026-04-20'",
    ],
  ])('%s is told apart', (_, component, expected) => {
    expect(problems(update(component)).join('\n')).toContain(expected)
  })

  test('a script is not an address', () => {
    const action = { functionCall: { call: 'openUrl', args: { url: 'javascript:alert(1)' } } }
    expect(problems(update({ id: 'a', component: 'Button', child: 'b', action }))[0]).toContain('a complete address')
  })
})

describe('a path', () => {
  test.each(['/a', '/a/0/b', 'name', '', '.', '/', '/a~1b/c~0d', '/Price [EUR]', '/größe'])('may be %j', (path) => {
    expect(problems(update(text('a', { path })))).toEqual([])
  })

  test.each(['$.user.name', '{{name}}', '${/name}', '#/a', '/a~b', '/~', '/__proto__/x', '/a/constructor'])(
    'may not be %j',
    (path) => {
      expect(problems(update(text('a', { path })))[0]).toContain('/0/updateComponents/components/0/text/path: ')
      expect(problems(update(column('a', { componentId: 'b', path })))).toHaveLength(1)
      expect(problems(data(1, path))).toHaveLength(1)
    },
  )
})

describe('functions', () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? true : { call: 'not', args: { value: nested(depth - 1) }, returnType: 'boolean' }
  const checkBox = (value: unknown) => update({ id: 'a', component: 'CheckBox', label: 'x', value })
  const format = (value: string) => update(text('a', { call: 'formatString', args: { value } }))

  test('may stand in one another five deep', () => {
    expect(problems(checkBox(nested(a2uiLimits.calls)))).toEqual([])
    expect(problems(checkBox(nested(a2uiLimits.calls + 1)))[0]).toContain('functions that are nested too deep')
  })

  test('must be those of the catalog, also within a text', () => {
    expect(problems(update(text('a', { call: 'shout', args: {} })))[0]).toContain('calls "shout", which is no function')
    expect(problems(format('Hello ${shout(value: ${/name})}'))[0]).toContain('calls "shout"')
    expect(problems(format("On ${formatDate(value: ${/at}, format: 'd MMM')} at \\${5}"))).toEqual([])
  })

  test.each(['${/name', '${formatDate(/x)}', "${formatDate(format:'d)}", '${/größe}'])(
    'a text must be one that can be read: %s',
    (template) => {
      expect(problems(format(template))[0]).toContain('has an expression that cannot be read')
    },
  )
})

describe('a surface as a whole', () => {
  test('has a root', () => {
    expect(problems(create, update(text('title')))).toEqual([
      '/1/updateComponents/components: There is no component with the id "root". One component must have the id "root": it is the one that is shown.',
    ])
    expect(problems(create, update(column('root', [])), update(text('late')))[0]).toContain('"late" is not part of')
  })

  test('refers to what is there', () => {
    expect(problems(create, update(column('root', ['a', 'b']), text('a')))).toEqual([
      '/1/updateComponents/components/0/children/1: The component "root" refers to "b", which is not there. Add a component with this id to the list, or refer to one that is there.',
    ])
  })

  test('has no orphans, but may have components that were replaced', () => {
    expect(problems(create, update(column('root', []), text('lost')))[0]).toContain('"lost" is not part of what "root"')
    const later = [update(column('root', ['a']), text('a')), update(column('root', ['b']), text('b'))]
    expect(problems(create, ...later)).toEqual([])
  })

  test('may come in an order of its own, as long as it is created first', () => {
    expect(problems(create, update(column('root', { componentId: 'item', path: '/x' })), update(text('item')))).toEqual(
      [],
    )
    expect(problems(update(text('root')), create)[0]).toContain('Put createSurface first.')
    expect(problems(create, create)[0]).toContain('is created a second time')
    const remove = { version, deleteSurface: { surfaceId: 's' } }
    expect(problems(update(text('root')), remove, create, remove, create, update(text('root')))).toEqual([])
  })

  test('what only updates a surface may refer to what is elsewhere', () => {
    expect(problems(update(column('left', ['a', 'elsewhere']), text('a')))).toEqual([])
  })

  test('uses an id once, and no component inside itself', () => {
    expect(problems(update(text('a'), text('a')))).toEqual([
      '/0/updateComponents/components/1/id: The id "a" is used more than once. Give each component of a list an id of its own.',
    ])
    const circle = update(column('a', ['b']), { id: 'b', component: 'Card', child: 'c' }, column('c', ['a']))
    expect(problems(circle)[0]).toContain('Components contain each other: "a" → "b" → "c" → "a".')
    expect(problems(update(column('a', { componentId: 'a', path: '/x' })))[0]).toContain('"a" → "a"')
    expect(problems(update(column('a', ['b'])), update(column('b', ['a'])))).toHaveLength(1)
  })
})

describe('limits', () => {
  const excess = (...messages: unknown[]) => problems(...messages).join('\n')

  test('of what is sent', () => {
    expect(excess(...Array.from({ length: a2uiLimits.messages + 1 }, () => data(1)))).toContain('messages')
    const many = Array.from({ length: a2uiLimits.components + 1 }, (_, index) => text(`t${index}`))
    expect(excess(update(...many))).toContain('too many components')
    expect(excess(data('x'.repeat(a2uiLimits.text + 1)))).toContain('/0/updateDataModel/value: A text is too long')
    expect(excess(data(Array.from({ length: a2uiLimits.values + 1 }, () => 1)))).toContain('too many values')
    const long = Array.from({ length: 11 }, () => 'x'.repeat(50_000))
    expect(excess(data(long))).toContain('too much text')
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(excess(data(deep))).toContain('nested too deep')
    const circular: unknown[] = []
    circular.push(circular)
    expect(excess(data(circular))).toContain('nested too deep')
  })

  test('of what is shown: a few components can stand for very many', () => {
    const doubling = Array.from({ length: 40 }, (_, index) =>
      column(index === 0 ? 'root' : `c${index}`, [`c${index + 1}`, `c${index + 1}`]),
    )
    expect(excess(create, update(...doubling, text('c40')))).toContain('shows too many components')
    const items = Array.from({ length: 300 }, () => ({}))
    const nested = update(
      column('root', { componentId: 'outer', path: '/items' }),
      column('outer', { componentId: 'inner', path: '/items' }),
      text('inner'),
    )
    expect(excess(create, data({ items }), nested)).toContain('shows too many components')
    expect(excess(create, data({ items: items.slice(0, 50) }), nested)).toBe('')
    const tower = Array.from({ length: a2uiLimits.depth + 1 }, (_, index) =>
      column(index === 0 ? 'root' : `c${index}`, [`c${index + 1}`]),
    )
    expect(excess(create, update(...tower, text(`c${a2uiLimits.depth + 1}`)))).toContain('too deep')
  })

  test('of what is said about it', () => {
    const wrong = Array.from({ length: 500 }, (_, index) => ({ id: `c${index}`, component: 'Nothing' }))
    expect(problems(update(...wrong)).length).toBeLessThanOrEqual(50)
  })
})
