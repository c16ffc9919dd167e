import { describe, expect, test } from 'vitest'
import { artifactName, artifactSchema } from './artifact.ts'
import { parsePart } from './parse-part.ts'
import './envelope-part-types.ts'

const stored = { artifactId: 'art_1', mimeType: 'text/csv', sizeBytes: 12 }

describe('document 000, canonical part types: a binary or URL-referenced artifact', () => {
  test.each([
    stored,
    { ...stored, name: 'prices.csv', sha256: 'ab' },
    { url: 'https://files.example/prices.csv' },
    { url: '/artifacts/art_1?token=x', name: 'prices.csv' },
    { url: 'https://files.example/', mimeType: 'text/csv', sizeBytes: 0 },
  ])('%j is one', (data) => {
    expect(parsePart({ partType: 'artifact', data }).data).toEqual(data)
  })

  test.each<[object, RegExp]>([
    [{}, /data: needs a url, or artifactId, mimeType and sizeBytes \(missing: artifactId, mimeType, sizeBytes\)/],
    [{ artifactId: 'art_1' }, /missing: mimeType, sizeBytes/],
    [{ name: 'prices.csv' }, /needs a url/],
    [{ ...stored, sizeBytes: -1 }, /data\.sizeBytes/],
    [{ url: 'javascript:alert(1)' }, /data\.url: is neither an http\(s\) URL/],
    [{ url: '//evil.example/x' }, /data\.url/],
    [{ url: 'https://files.example/', sizeBytes: 'many' }, /data\.sizeBytes/],
  ])('%j is none', (data, problem) => {
    expect(() => parsePart({ partType: 'artifact', data })).toThrow(problem)
  })
})

test.each([
  [{ ...stored, name: 'prices.csv' }, 'prices.csv'],
  [stored, 'art_1'],
  [{ url: 'https://files.example/2026/a%20report.pdf?v=2#p1' }, 'a report.pdf'],
  [{ url: 'https://files.example/100%.pdf' }, '100%.pdf'],
  [{ url: 'https://files.example/' }, 'File'],
  [{ url: 'https://files.example' }, 'File'],
])('the name of %j is %s', (data, name) => {
  expect(artifactName(artifactSchema.parse(data))).toBe(name)
})
