import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { jsonSchemaFiles } from './json-schemas.ts'

const folder = new URL('../schemas/', import.meta.url)
const files = jsonSchemaFiles()

test('every schema is published and nothing else', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...files.keys()].toSorted())
})

test.each([...files])('%s is up to date; if not, run scripts/write-schemas.ts', (name, text) => {
  expect(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))).toEqual(JSON.parse(text))
})
