import { createHash } from 'node:crypto'
import { linearPattern } from '@cool-ai/beach-core/runtime'

type Schema = Readonly<Record<string, unknown>>

const maxDepth = 40
const maxCharacters = 100_000
/** Of all patterns of a schema: a server may offer many tools with many patterns, each of which takes a while to read. */
const maxStates = 20_000

/**
 * The schema if arguments can be checked by it: of an object, not too large, and without references elsewhere. Patterns
 * that cannot be matched in linear time, or are too many, are left out; the server checks its arguments itself.
 */
export function usableSchema(schema: unknown): Schema | undefined {
  if (!isObject(schema) || schema.type !== 'object') return undefined
  if (!isSelfContained(schema, 0) || JSON.stringify(schema).length > maxCharacters) return undefined
  const { $schema: _, ...rest } = schema
  return withoutEffort(rest, false, linearPatterns()) as Schema
}

/** The same without patterns that have no linear form; `isNames` when the members are names, and not keywords. */
function withoutEffort(value: unknown, isNames: boolean, isLinear: (pattern: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEffort(item, false, isLinear))
  if (!isObject(value)) return value
  const patterns = !isNames && isObject(value.patternProperties) ? Object.keys(value.patternProperties) : []
  // Without all of the patterns it cannot be told what else there may be.
  const areKept = patterns.every(isLinear)
  const isKept = (key: string, member: unknown): boolean => {
    if (isNames) return true
    if (key === 'pattern') return typeof member !== 'string' || isLinear(member)
    return areKept || !['patternProperties', 'additionalProperties'].includes(key)
  }
  const members = Object.entries(value).filter(([key, member]) => isKept(key, member))
  const within = (key: string, member: unknown) => withoutEffort(member, !isNames && byName.has(key), isLinear)
  return Object.fromEntries(members.map(([key, member]) => [key, within(key, member)]))
}

/** Tells which patterns can be matched in linear time, until they have been too many. */
function linearPatterns(): (pattern: string) => boolean {
  let left = maxStates
  return (source) => {
    const pattern = left > 0 ? linearPattern(source) : { problem: 'comes after too many' }
    if ('problem' in pattern) left--
    else left -= pattern.states
    return !('problem' in pattern) && left >= 0
  }
}

/** The schema without anything that is only words: those of a tool that has changed are not shown to a model. */
export function withoutWords(schema: Schema): Schema {
  const stripped = (value: unknown, isNames: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => stripped(item, false))
    if (!isObject(value)) return value
    const members = Object.entries(value).filter(([key]) => isNames || !words.has(key))
    return Object.fromEntries(members.map(([key, member]) => [key, stripped(member, !isNames && byName.has(key))]))
  }
  return stripped(schema, false) as Schema
}

const words: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'examples'])
const byName: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

function isSelfContained(value: unknown, depth: number): boolean {
  if (depth > maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isSelfContained(item, depth + 1))
  if (!isObject(value)) return true
  const { $ref } = value
  if (typeof $ref === 'string' && !$ref.startsWith('#')) return false
  return Object.values(value).every((member) => isSelfContained(member, depth + 1))
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const maxLength = 64

/** A tool's name here: the server's name before it, in letters that every model accepts. */
export function localName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}_${tool}`.replaceAll(/[^A-Za-z0-9_-]+/g, '_')
  const name = plain.slice(0, maxLength)
  // Names that only differ in what was replaced or cut must not become one.
  if (name === `${server}_${tool}` && !taken.has(name)) return name
  const mark = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8)
  return `${name.slice(0, maxLength - mark.length - 1)}_${mark}`
}
