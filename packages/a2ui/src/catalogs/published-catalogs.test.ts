import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { basicCatalogIds } from '../messages.ts'
import { validateA2ui } from '../validate/validate-a2ui.ts'
import type { A2uiCatalog } from './a2ui-catalog.ts'

// A2UI's own catalogs, as they are published, are taken like those of any application: what is checked by their schemas
// is compared with A2UI's public test data.

const schemas = new URL('./schemas/', pathToFileURL(createRequire(import.meta.url).resolve('@a2ui/web_core/v0_9')))
const conformance = new URL('../../conformance/', import.meta.url)
const read = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))
const published = (name: string) => read(new URL(`catalogs/${name}/catalog.json`, schemas)) as A2uiCatalog

const catalogId = 'https://application.example/catalog.json'
const basic: A2uiCatalog = { ...published('basic'), catalogId }
const catalogs = [basic]

/** The same data with the application's catalog in place of A2UI's. */
function withOwnId(data: unknown): unknown {
  let text = JSON.stringify(data)
  for (const id of basicCatalogIds) text = text.replaceAll(id, catalogId)
  return JSON.parse(text)
}

const check = (data: unknown) => validateA2ui(withOwnId(data), { catalogs, catalogOf: () => catalogId })

describe('examples of the Basic Catalog', () => {
  test.each(readdirSync(new URL('examples/', conformance)))('%s', (name) => {
    const { messages } = read(new URL(`examples/${name}`, conformance)) as { messages: unknown }
    expect(check(messages)).toEqual({ valid: true, problems: [], unknownCatalogs: [] })
  })
})

interface CaseFile {
  readonly schema: string
  readonly tests: readonly { readonly description: string; readonly valid: boolean; readonly data: unknown }[]
}

const cases = readdirSync(new URL('cases/', conformance))
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, ...(read(new URL(`cases/${name}`, conformance)) as CaseFile) }))
  .filter(({ schema }) => schema !== 'client_to_server.json')

describe.each(cases)('$name', ({ tests }) => {
  test.each(tests)('$description', ({ valid, data }) => {
    const { problems } = check(data)
    expect(problems.length === 0, JSON.stringify(problems)).toBe(valid)
  })
})

test('the minimal catalog has its own function, and none of the Basic Catalog', () => {
  const minimal = published('minimal')
  const text = (value: unknown) => [
    { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: minimal.catalogId } },
    {
      version: 'v0.9',
      updateComponents: { surfaceId: 's', components: [{ id: 'root', component: 'Text', text: value }] },
    },
  ]
  const problems = (value: unknown) =>
    validateA2ui(text(value), { catalogs: [minimal] }).problems.map(({ problem }) => problem)
  const call = (name: string) => ({ call: name, args: { value: 'hello' }, returnType: 'string' })
  expect(problems(call('capitalize'))).toEqual([])
  expect(problems(call('formatString'))).toEqual([
    `The Text "root" calls "formatString", which is no function of the catalog "${minimal.catalogId}".`,
  ])
})
