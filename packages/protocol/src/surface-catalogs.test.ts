import type { Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { basicCatalogId } from './a2ui-messages.ts'
import { contextAmong, knowsCatalogs, surfaceCatalogs, withSurfaceCatalogs } from './surface-catalogs.ts'

const earlier = 'https://a2ui.org/specification/v0_9/basic_catalog.json'
const own = 'https://harbour.example/catalog.json'
const version = 'v0.9'
const part = (data: unknown, more: object = {}): Part => ({ data, metadata: { partType: 'a2ui-surface', ...more } })
const create = (surfaceId: string, catalogId: string) => ({ version, createSurface: { surfaceId, catalogId } })
const update = (surfaceId: string) => ({ version, updateDataModel: { surfaceId, value: 1 } })
const catalogOf = (surfaceId: string) => ({ own, basic: earlier })[surfaceId]

describe('the catalogs of a part', () => {
  test('are noted for surfaces that it only changes, unless they are of the Basic Catalog', () => {
    const all = part([create('new', 'https://new.example'), update('own'), update('basic'), update('gone')])
    expect(withSurfaceCatalogs(all, catalogOf).metadata.surfaceCatalogs).toEqual({ own })
    expect(withSurfaceCatalogs(part(update('basic')), catalogOf)).toEqual(part(update('basic')))
  })

  test('are not what its author says', () => {
    const forged = part(update('basic'), { surfaceCatalogs: { basic: own } })
    expect(withSurfaceCatalogs(forged, catalogOf)).toEqual(part(update('basic')))
    const other = { text: 'x', metadata: { partType: 'response', surfaceCatalogs: 1 } }
    expect(withSurfaceCatalogs(other, catalogOf)).toBe(other)
  })

  test.each<[string, Part, readonly string[] | undefined, boolean]>([
    ['the Basic Catalog, by a listener that says nothing', part(create('s', earlier)), undefined, true],
    ['another, by a listener that says nothing', part(create('s', own)), undefined, false],
    ['another, by one that knows it', part(create('s', own)), [own], true],
    ['the Basic Catalog by its other name', part(create('s', basicCatalogId)), [earlier], true],
    ['a change of a surface of another', part(update('own'), { surfaceCatalogs: { own } }), [earlier], false],
    ['a change of a surface of another that is known', part(update('own'), { surfaceCatalogs: { own } }), [own], true],
    ['a change of a surface of the Basic Catalog', part(update('x')), [own], false],
    ['anything, by one that knows none', part(create('s', basicCatalogId)), [], false],
    ['one of two', part([create('a', own), create('b', basicCatalogId)]), [own], false],
  ])('are known or not: %s', (_, given, catalogs, expected) => {
    expect(knowsCatalogs(given, { ...(catalogs && { catalogs }) })).toBe(expected)
  })

  test('of what cannot be read are none', () => {
    expect(surfaceCatalogs(part('nonsense'))).toEqual([])
  })
})

test('a surface that is created among others has no earlier catalog', () => {
  const { catalogOf: among } = contextAmong([part(create('own', basicCatalogId)), 7, { data: 'x' }], { catalogOf })
  expect([among?.('own'), among?.('basic'), contextAmong([], {}).catalogOf?.('own')]).toEqual([
    undefined,
    earlier,
    undefined,
  ])
})
