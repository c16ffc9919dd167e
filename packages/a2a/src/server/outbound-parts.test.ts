import { PartTypeRegistry } from '@cool-ai/beach-core'
import { basicCatalogId } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { outboundParts, plainParts } from './outbound-parts.ts'

const partTypes = PartTypeRegistry.canonical()
partTypes.amend('a2ui-surface', { toText: () => 'in words' })

const file = { artifactId: 'art_1', mimeType: 'text/csv', sizeBytes: 3, name: 'f.csv' }

describe('a part on its way out', () => {
  test('keeps its metadata, and nothing of how a message came in', () => {
    const metadata = {
      partType: 'domain-data',
      slotKey: 's',
      mergeStrategy: 'append',
      kind: 'k',
      a2a: { messageId: 'm' },
    }
    const [part] = plainParts({ data: { a: 1 }, metadata } as never)
    expect(part).toMatchObject({ content: { $case: 'data', value: { a: 1 } }, mediaType: 'application/json' })
    expect(part?.metadata).toEqual({ partType: 'domain-data', slotKey: 's', mergeStrategy: 'append', kind: 'k' })
  })

  test('with text and data is two', () => {
    const parts = plainParts({ text: 'one', data: [1], metadata: { partType: 'x.y' } })
    expect(parts.map(({ content }) => content)).toEqual([
      { $case: 'text', value: 'one' },
      { $case: 'data', value: [1] },
    ])
  })

  test.each([
    ['v0.9', 'application/json+a2ui'],
    ['v0.8', 'application/json+a2ui'],
    ['v0.9.1', 'application/a2ui+json'],
    ['v1.0', 'application/a2ui+json'],
  ])('that is a surface of A2UI %s has the media type %s', (version, mediaType) => {
    const surface = { version, createSurface: { surfaceId: 's', catalogId: 'c' } }
    const [part] = plainParts({ data: surface, metadata: { partType: 'a2ui-surface' } })
    expect(part).toMatchObject({
      mediaType,
      content: { $case: 'data', value: [surface] },
      metadata: { mimeType: mediaType },
    })
  })

  const older = 'https://a2ui.org/specification/v0_9/basic_catalog.json'
  const own = 'https://catalog.example'
  const caller = { transport: 'a2a', deliveryClass: 'streaming' } as const
  test.each([
    ['did not say what it can show', undefined, basicCatalogId, 'data'],
    ['did not say what it can show, of another catalog', undefined, own, 'text'],
    ['can show it', [own], own, 'data'],
    ['knows the catalog by its older name', [older], basicCatalogId, 'data'],
    ['knows the catalog by its newer name', [basicCatalogId], older, 'data'],
    ['cannot show it', [basicCatalogId], own, 'text'],
    ['can show nothing', [], basicCatalogId, 'text'],
  ])('that is a surface, to a caller that %s', async (_, catalogs, catalogId, form) => {
    const surface = { version: 'v0.9', createSurface: { surfaceId: 's', catalogId } }
    const part = { data: [surface], metadata: { partType: 'a2ui-surface', slotKey: 'k' } }
    const [out] = await outboundParts(part, { to: { ...caller, ...(catalogs && { catalogs }) }, partTypes })
    expect(out?.content).toEqual({ $case: form, value: form === 'text' ? 'in words' : [surface] })
    expect(out?.metadata).toMatchObject(part.metadata)
  })

  test('that is an artifact becomes a link, made for its recipient', async () => {
    const part = { data: file, metadata: { partType: 'artifact' } }
    const [linked] = await outboundParts(part, {
      to: caller,
      partTypes,
      linkOf: async (id) => `https://x.example/${id}`,
    })
    expect(linked).toMatchObject({
      content: { $case: 'url', value: 'https://x.example/art_1' },
      filename: 'f.csv',
      mediaType: 'text/csv',
      metadata: { partType: 'artifact', artifactId: 'art_1' },
    })
    const [unlinked] = await outboundParts(part, { to: caller, partTypes, linkOf: async () => undefined })
    expect(unlinked?.content).toEqual({ $case: 'data', value: file })
  })
})
