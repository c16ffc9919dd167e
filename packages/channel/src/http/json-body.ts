import { BeachError, type Clock, type Principal } from '@cool-ai/beach-core'
import { readBody } from './read-body.ts'

/** The limits of a request body. */
export interface BodyLimits {
  readonly bytes: number
  readonly depth: number
}

/** The limits of bodies when none are given. */
export const bodyLimits: BodyLimits = { bytes: 256 * 1024, depth: 32 }

export interface JsonOptions {
  readonly limits?: BodyLimits | undefined
  /** The media types that are JSON here. */
  readonly types?: readonly string[] | undefined
  readonly clock?: Clock | undefined
  /** The caller, once it is known; the bodies of guests count with all that is held of unauthenticated callers. */
  readonly caller?: Principal | undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The request's JSON, bounded in size and depth; undefined when the body is empty. */
export async function readJson(
  request: Request,
  { limits = bodyLimits, types = ['application/json'], clock, caller }: JsonOptions = {},
): Promise<unknown> {
  const isKnown = caller !== undefined && caller.kind !== 'anonymous'
  const bytes = await readBody(request, limits.bytes, { clock, isKnown })
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw new BeachError('BAD_REQUEST', 'The body could not be read as UTF-8 text.', { cause })
  }
  if (text.trim() === '') return undefined
  // Other types are refused, because a foreign page can send them with the user's cookie and without a preflight.
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === undefined || !types.includes(type)) {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', `Send the body as \`Content-Type: ${types.join('` or `')}\`.`)
  }
  return parseJson(text, limits.depth)
}

/**
 * Members and elements that a body may have. Reading costs about as much for each as for a hundred bytes of text: without an
 * end to them a body within its bytes would hold up all other callers for a second.
 */
const maxValues = 100_000

/** JSON from elsewhere, bounded in depth and in the number of its values, with each key once. */
export function parseJson(text: string, depth: number): unknown {
  const { members, separators } = countsIn(text)
  if (members + separators > maxValues) {
    throw new BeachError('TOO_LARGE', `The body has more than ${maxValues} values.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new BeachError('BAD_JSON', 'This is not valid JSON.', { cause })
  }
  // `JSON.parse` keeps the last of two, so that two readers of the same body could read two decisions in it.
  if (members > checkShape(value, depth)) {
    throw new BeachError('BAD_JSON', 'An object of this JSON has the same key twice. Give each key once.')
  }
  return value
}

/**
 * Bounds the depth, refuses keys that could reach a prototype, and counts the keys of all objects. Walks without
 * recursion: the input chose the depth.
 */
function checkShape(root: unknown, max: number): number {
  let keys = 0
  const rest = [root]
  // Two lists instead of a list of pairs: every request is walked through.
  const depths = [1]
  for (let depth = depths.pop(); depth !== undefined; depth = depths.pop()) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    if (depth > max) throw new BeachError('TOO_DEEP', `The body is nested deeper than ${max} levels.`)
    const children: readonly unknown[] = Object.values(value)
    if (!Array.isArray(value)) {
      const reaches = Object.hasOwn(value, 'constructor') && hasPrototype(value.constructor)
      if (reaches || Object.hasOwn(value, '__proto__')) {
        throw new BeachError('BAD_REQUEST', 'The keys `__proto__` and `constructor.prototype` are not allowed.')
      }
      keys += children.length
    }
    for (const child of children) {
      if (typeof child !== 'object' || child === null) continue
      rest.push(child)
      depths.push(depth + 1)
    }
  }
  return keys
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

const quote = 34
const comma = 44
const colon = 58
const backslash = 92

/**
 * The members of a JSON text, and the commas between its values. In valid JSON each member has one colon outside of strings,
 * however its key is written: when there are more of them than keys, one was lost.
 */
function countsIn(text: string): { readonly members: number; readonly separators: number } {
  let members = 0
  let separators = 0
  let isInString = false
  for (let at = 0; at < text.length && members + separators <= maxValues; at++) {
    const code = text.charCodeAt(at)
    // Only strings contain backslashes; the character behind one neither ends nor begins a string.
    if (code === backslash) at++
    else if (code === quote) isInString = !isInString
    else if (isInString) continue
    else if (code === colon) members++
    else if (code === comma) separators++
  }
  return { members, separators }
}
