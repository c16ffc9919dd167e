import { isDeepStrictEqual } from 'node:util'
import { BeachError, type Part } from '@cool-ai/beach-core'
import type { LoggedEvent, MessageReceived, SessionEvent } from '@cool-ai/beach-core/log'

const maxCharacters = 20_000
/** Parts that are not worth searching, or repeat another part. */
const unread: ReadonlySet<string> = new Set([
  'a2ui-surface',
  'a2ui-action',
  'llm-context',
  'reasoning-trace',
  'setState',
])

/** The words of a message: for searching, and for tools. A change raises the versions of `missiveSchema` and `projectionVersion`. */
export function textOf(parts: readonly Part[]): string {
  const pieces: string[] = []
  let room = maxCharacters
  for (const { text, data, metadata } of parts) {
    if (unread.has(metadata.partType)) continue
    const said = text !== undefined ? [text] : metadata.partType === 'artifact' ? [nameOf(data)] : textsIn(data)
    for (const piece of said) {
      if (room <= 0) return pieces.join('\n')
      if (piece.trim() === '') continue
      pieces.push(piece.slice(0, room))
      room -= piece.length + 1
    }
  }
  return pieces.join('\n')
}

function nameOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('name' in data)) return ''
  return typeof data.name === 'string' ? data.name : ''
}

/** The texts in some data, however deep: what people would recognise it by. */
function* textsIn(data: unknown, depth = 0): Generator<string> {
  if (typeof data === 'string') yield data
  else if (typeof data === 'object' && data !== null && depth < 20) {
    for (const value of Object.values(data)) yield* textsIn(value, depth + 1)
  }
}

const maxSearched = 500
const maxWords = 20
/** Scripts that are written without spaces: each of their characters counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** A text as the index keeps it. A change raises the versions of `missiveSchema` and `projectionVersion`. */
export function indexed(text: string): string {
  return text.normalize('NFKC').replaceAll('\0', ' ').replaceAll(unspaced, ' $& ')
}

/** Words to look for, each as the beginning of a word. All other characters only separate words. */
export function wordsIn(text: string): string[] {
  if (text.length > maxSearched) {
    throw new BeachError('BAD_REQUEST', `Search for at most ${maxSearched} characters.`)
  }
  const words = indexed(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) throw new BeachError('BAD_REQUEST', 'There is no word to search for in that text.')
  if (words.length > maxWords) throw new BeachError('BAD_REQUEST', `Search for at most ${maxWords} words.`)
  return words
}

/** The words of a text for engines that leave it to us: without accents and capitals. */
export function plainWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  // The other small sigma stands only at the end of a word, which may be the beginning of a longer one.
  return plain
    .replaceAll('ς', 'σ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Where a part stands in its session's log: the seq of an event, and which of that event's parts it is. */
export type PartPosition = readonly [seq: number, index: number]

/** Parts above this are not repeated in missives where the log has them. */
const maxRepeatedLength = 2_000

/** A message's parts, with what it proposed at its place. */
export function messageParts({ parts, proposed = [] }: NonNullable<MessageReceived['payload']>): readonly Part[] {
  const all = [...parts]
  for (const { index, part } of proposed) all.splice(index, 0, part)
  return all
}

/** The part in an event that can be sent by itself: one that an actor said, or the result in a slot. */
export function saidPart(event: SessionEvent): { partId: string; part: Part } | undefined {
  if (event.type === 'partReceived') return event.payload && { partId: event.partId, part: event.payload.part }
  if (event.type !== 'slotFilled' || event.payload?.part === undefined) return undefined
  return { partId: `${event.manifestId}.${event.slot}`, part: event.payload.part }
}

/** The part at a position; undefined when it was erased from the log. */
export function partAt(event: SessionEvent, index: number): Part | undefined {
  if (event.type === 'messageReceived') return event.payload && messageParts(event.payload)[index]
  return saidPart(event)?.part
}

/** For each part that is large, where one of these events has the same. */
export function placesOf(
  parts: readonly Part[],
  events: readonly LoggedEvent[],
): readonly (PartPosition | undefined)[] | undefined {
  const places = parts.map((part) => {
    const isLarge = (part.text?.length ?? 0) > maxRepeatedLength || JSON.stringify(part).length > maxRepeatedLength
    return isLarge ? placeOf(part, events) : undefined
  })
  return places.some((place) => place !== undefined) ? places : undefined
}

function placeOf(part: Part, events: readonly LoggedEvent[]): PartPosition | undefined {
  for (const { seq, event } of events) {
    const there =
      event.type === 'messageReceived' ? event.payload && messageParts(event.payload) : [saidPart(event)?.part]
    const index = there?.findIndex((one) => isDeepStrictEqual(one, part)) ?? -1
    if (index !== -1) return [seq, index]
  }
  return undefined
}
