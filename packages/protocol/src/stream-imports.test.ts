import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// A browser loads the stream without a bundler: it cannot resolve packages, and must not load a schema library.

const importLine = /^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm

function loaded(file: URL, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file.href)) return seen
  seen.add(file.href)
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(importLine)) {
    if (specifier.startsWith('.')) loaded(new URL(specifier, file), seen)
    else seen.add(specifier)
  }
  return seen
}

test('the stream imports nothing but its own files', () => {
  const modules = [...loaded(new URL('stream.ts', import.meta.url))]
  expect(modules.map((module) => module.split('/').at(-1))).toEqual([
    'stream.ts',
    'frame-shape.ts',
    'stream-view.ts',
    'reader-part.ts',
  ])
  expect([...loaded(new URL('index.ts', import.meta.url))]).toContain('zod')
})
