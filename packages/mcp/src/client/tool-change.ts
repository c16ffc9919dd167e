import { plainWords } from '@cool-ai/beach-channel/peers'
import { isObject } from '@cool-ai/beach-protocol/json-schema'
import type { Tool } from '@modelcontextprotocol/client'
import { inOneOrder, type Pin } from './tool-pins.ts'

const maxArguments = 20
const maxTextLength = 400
const maxSchemaLength = 200
const around = 60

/** What has changed of a tool since it was first used, for the approver who decides whether it may run as it is now. */
export function toolChange(server: string, before: Pin | undefined, now: Tool): string {
  const whose = `This tool of the server '${server}'`
  if (before === undefined) {
    return lines([`${whose} was not there when the server was first used.`, ...saidNow(now.description)])
  }
  if (before.about === undefined) {
    const unknown = `${whose} has changed since its last use. What it was then was not kept.`
    return lines([unknown, ...saidNow(now.description)])
  }
  const { title, description, inputSchema } = before.about
  return lines([
    `${whose} has changed since its last use.`,
    ...wordsChange('Title', title, now.title),
    ...wordsChange('Description', description, now.description),
    ...schemaChange(inputSchema, now.inputSchema),
  ])
}

function lines(parts: readonly string[]): string {
  return parts.join('\n')
}

function saidNow(description: string | undefined): string[] {
  return description === undefined ? [] : [`Description: ${quoted(description, 0)}`]
}

function wordsChange(what: string, before: string | undefined, now: string | undefined): string[] {
  if (before === now) return []
  const from = Math.max(0, sameLength(before ?? '', now ?? '') - around)
  return [`${what}, before: ${quoted(before, from)}`, `${what}, now: ${quoted(now, from)}`]
}

/** Foreign text, from a little before where they differ. */
function quoted(text: string | undefined, from: number): string {
  if (text === undefined) return 'none'
  const words = plainWords(text.slice(from), maxTextLength).replaceAll('"', "'")
  return `"${from > 0 ? '…' : ''}${words}"`
}

function sameLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

function schemaChange(before: unknown, now: unknown): string[] {
  const [old, own] = [partsOf(before), partsOf(now)]
  const names = [...new Set([...old.properties.keys(), ...own.properties.keys()])]
  const changes = names.flatMap((name) => argumentChange(name, old.properties.get(name), own.properties.get(name)))
  const needs = wordsChange('Needed arguments', old.required, own.required)
  const rest = wordsChange('Rest of the schema', old.rest, own.rest)
  const more = changes.length - maxArguments
  return [
    ...changes.slice(0, maxArguments),
    ...(more > 0 ? [`… and ${more} more arguments`] : []),
    ...(old.required === own.required ? [] : needs),
    ...(old.rest === own.rest ? [] : rest),
  ]
}

function argumentChange(name: string, before: string | undefined, now: string | undefined): string[] {
  if (before === now) return []
  const named = `Argument ${plainWords(name, 60)}`
  if (before === undefined) return [`${named} is new: ${cut(now ?? '')}`]
  if (now === undefined) return [`${named} is gone; it was ${cut(before)}`]
  const from = Math.max(0, sameLength(before, now) - around)
  return [`${named} was ${cut(before.slice(from))}`, `${named} is now ${cut(now.slice(from))}`]
}

function cut(text: string): string {
  return plainWords(text, maxSchemaLength)
}

interface SchemaParts {
  readonly properties: ReadonlyMap<string, string>
  readonly required: string
  readonly rest: string
}

/** A schema in pieces that can be compared as texts. */
function partsOf(schema: unknown): SchemaParts {
  const { properties, required, ...rest } = isObject(schema) ? schema : {}
  const members = isObject(properties) ? Object.entries(properties) : []
  const names = Array.isArray(required) ? required.map(String).toSorted() : []
  return {
    properties: new Map(members.map(([name, member]) => [name, JSON.stringify(inOneOrder(member))])),
    required: names.join(', '),
    rest: JSON.stringify(inOneOrder(rest)),
  }
}
