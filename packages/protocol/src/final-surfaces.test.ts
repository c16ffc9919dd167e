import type { Part } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { finalSurfaces } from './final-surfaces.ts'
import { surfaceCatalogs } from './surface-catalogs.ts'

const version = 'v0.9'
const surfaceId = 'trip'
const create = { version, createSurface: { surfaceId, catalogId: 'c' } }
const remove = { version, deleteSurface: { surfaceId } }
const text = (id: string, words: string) => ({ id, component: 'Text', text: words })
const components = (...all: object[]) => ({ version, updateComponents: { surfaceId, components: all } })
const model = (path: string | undefined, value: unknown) => ({
  version,
  updateDataModel: { surfaceId, ...(path !== undefined && { path }), value },
})
const surface = (...data: object[]): Part => ({ data, metadata: { partType: 'a2ui-surface' } })
const words: Part = { text: 'Hello.', metadata: { partType: 'response' } }
const messages = (parts: readonly Part[]) => finalSurfaces(parts).map(({ data }) => data)

test('of each component and each place of the data the last form is left, where the surface stood first', () => {
  const parts = [
    surface(create, components(text('root', 'one'), text('a', 'A'))),
    words,
    surface(model('/x', 1), model('/y', 2), components(text('root', 'two'))),
    surface(model('/x', 3)),
  ]
  expect(finalSurfaces(parts)).toEqual([
    surface(create, model('/y', 2), model('/x', 3), components(text('root', 'two'), text('a', 'A'))),
    words,
  ])
})

test('data that is replaced as a whole leaves nothing of what was before', () => {
  const parts = [surface(create, model('/x', 1)), surface(model(undefined, { y: 2 })), surface(model('/z', 3))]
  expect(messages(parts)).toEqual([[create, model(undefined, { y: 2 }), model('/z', 3)]])
})

test('a surface that was made and removed is not there, one of an earlier turn is removed', () => {
  expect(finalSurfaces([surface(create), surface(remove), words])).toEqual([words])
  expect(messages([surface(model('/x', 1)), surface(remove)])).toEqual([[remove]])
  const anew = [surface(create, model('/x', 1)), surface(remove), surface(create, components(text('root', 'two')))]
  expect(messages(anew)).toEqual([[create, components(text('root', 'two'))]])
  expect(messages([surface(remove), surface(create), surface(remove)])).toEqual([[remove]])
})

test('a surface that is created again, of another catalog, has nothing of what it was before', () => {
  const again = { version, createSurface: { surfaceId, catalogId: 'other' } }
  const parts = [
    surface(create, model('/x', 1), components(text('root', 'one'), text('a', 'A'))),
    surface(again, components(text('root', 'two'))),
    surface(model('/y', 2)),
  ]
  const final = finalSurfaces(parts)
  expect(final).toEqual([surface(again, model('/y', 2), components(text('root', 'two')))])
  expect(final.map((part) => surfaceCatalogs(part))).toEqual([['other']])
})

test('changes of a surface of an earlier turn keep the note of its catalog', () => {
  const noted = (data: object): Part => ({
    data: [data],
    metadata: { partType: 'a2ui-surface', surfaceCatalogs: { [surfaceId]: 'c' } },
  })
  const final = finalSurfaces([noted(model('/x', 1)), noted(components(text('root', 'two')))])
  expect(final.map((part) => [part.data, surfaceCatalogs(part)])).toEqual([
    [[model('/x', 1), components(text('root', 'two'))], ['c']],
  ])
})

test('one part of a surface, other surfaces, and what is no A2UI stay as they are', () => {
  const other = { version, createSurface: { surfaceId: 'other', catalogId: 'c' } }
  const both = surface(create, other)
  const parts = [surface(create), surface(other), both, both, surface({ version }), words]
  expect(finalSurfaces(parts)).toBe(parts)
})
