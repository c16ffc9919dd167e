import { quoted } from './plain.ts'

// Names that no data has and every attacker tries; A2UI's data model refuses them too.
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const otherLanguages = /^(?:\$[.{[]|\{\{|#\/)/

/** What is wrong with a path of A2UI: a JSON Pointer when it begins with `/`, else one that is relative to a template's item. */
export function pointerProblem(path: string): string | undefined {
  if (otherLanguages.test(path)) return `${quoted(path)} is not a JSON Pointer`
  if (/~(?![01])/.test(path)) return `${quoted(path)} has a '~' that is not part of '~0' or '~1'`
  const trap = segmentsOf(path).find((segment) => forbidden.has(segment))
  return trap === undefined ? undefined : `${quoted(path)} has the name '${trap}', which is not allowed`
}

export function segmentsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (segment.includes('~') ? segment.replaceAll('~1', '/').replaceAll('~0', '~') : segment))
}

export function escapeSegment(name: string): string {
  if (!name.includes('~') && !name.includes('/')) return name
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The path of a path: relative ones go on from the item of their template. */
export function absolutePath(path: string, base: string): string {
  if (path.startsWith('/')) return path
  if (path === '' || path === '.') return base
  return `${base === '/' ? '' : base}/${path}`
}

export function isAllowedName(name: string): boolean {
  return !forbidden.has(name)
}
