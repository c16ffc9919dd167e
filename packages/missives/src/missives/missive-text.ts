import type { Part } from '@cool-ai/beach-core'

const mostCharacters = 20_000
/** Parts that are not worth searching, or repeat another part. */
const unread: ReadonlySet<string> = new Set([
  'a2ui-surface',
  'a2ui-action',
  'llm-context',
  'reasoning-trace',
  'setState',
])

/** What a message says in words: for searching, and for tools. A change raises the version of `missiveSchema`. */
export function textOf(parts: readonly Part[]): string {
  const pieces: string[] = []
  let room = mostCharacters
  const add = (piece: string) => {
    if (room <= 0 || piece.trim() === '') return
    pieces.push(piece.slice(0, room))
    room -= piece.length + 1
  }
  for (const { text, data, metadata } of parts) {
    if (unread.has(metadata.partType)) continue
    if (text !== undefined) add(text)
    else if (metadata.partType === 'artifact') add(nameOf(data))
    else for (const word of words(data)) add(word)
  }
  return pieces.join('\n')
}

function nameOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('name' in data)) return ''
  return typeof data.name === 'string' ? data.name : ''
}

/** The texts in some data, however deep: what people would recognise it by. */
function* words(data: unknown, depth = 0): Generator<string> {
  if (typeof data === 'string') yield data
  else if (typeof data === 'object' && data !== null && depth < 20) {
    for (const value of Object.values(data)) yield* words(value, depth + 1)
  }
}
