import type { LiveText } from '@cool-ai/beach-core'
import type { JsonPath, JsonWatcher } from './json-builder.ts'
import type { TextSink } from './json-string.ts'

/** Questions about the names in a call, while it arrives. */
export interface LiveTextRules {
  isTurnState(name: unknown): boolean
  /** True when listeners may see the text of such a part grow. */
  streamsText(partType: string): boolean
}

/** The part that is being read. */
interface OpenPart {
  partType?: string
  /** Text that is complete and not shown yet. */
  unsaid?: string
  /** A repeated `text` replaces the first; what was shown of that cannot be unsaid here, so only the first is shown. */
  hasText: boolean
}

/**
 * Shows the text of parts while their call arrives: never before the part's type is known, never half a surrogate pair,
 * and nothing of a call whose turn state is known to be wrong. In any order of the keys, the deltas of a part add up to
 * its text.
 */
export class LiveTextWatcher implements JsonWatcher {
  readonly #rules: LiveTextRules
  #stateIsWrong = false
  /** A repeated `parts` replaces the first, whose text has been shown. */
  #partsAreRead = false
  #part: OpenPart = { hasText: false }
  /** Text that may be shown. */
  #said: LiveText[] = []
  /** Text of the part that is flowing, of which this much was read and not yet shown. */
  #flowing: { readonly index: number; readonly partType: string; unsaid: string } | undefined

  constructor(rules: LiveTextRules) {
    this.#rules = rules
  }

  string(path: JsonPath): TextSink | undefined {
    if (path.length !== 3 || path[2] !== 'text') return undefined
    const index = this.#indexOf(path)
    const { partType, hasText } = this.#part
    if (index === undefined || partType === undefined || hasText) return undefined
    if (this.#stateIsWrong || !this.#rules.streamsText(partType)) return undefined
    const flowing = { index, partType, unsaid: '' }
    this.#flowing = flowing
    return (piece) => {
      flowing.unsaid += piece
    }
  }

  value(path: JsonPath, value: unknown): void {
    if (path.length === 1) return this.#readMember(path[0], value)
    if (path.length === 0 || path.length > 4) return
    const index = this.#indexOf(path)
    if (index !== undefined) this.#readOfPart(path, index, value)
  }

  /** What may be shown of what was read since the last time. */
  take(): readonly LiveText[] {
    if (this.#flowing !== undefined) {
      const { unsaid } = this.#flowing
      const end = endsInHalfPair(unsaid) ? unsaid.length - 1 : unsaid.length
      this.#flowing.unsaid = unsaid.slice(end)
      this.#say(this.#flowing.index, this.#flowing.partType, unsaid.slice(0, end))
    }
    const said = this.#said
    if (said.length > 0) this.#said = []
    return said
  }

  #readMember(key: string | number | undefined, value: unknown): void {
    if (key === 'parts') this.#partsAreRead = true
    if (key === 'turnState' || key === 'conversationState') this.#stateIsWrong ||= !this.#rules.isTurnState(value)
  }

  #readOfPart(path: JsonPath, index: number, value: unknown): void {
    const [, , member, tag] = path
    if (path.length === 2) this.#part = { hasText: false }
    else if (path.length === 3 && member === 'text') this.#readText(index, value)
    else if (path.length === 3 ? member === 'partType' : member === 'metadata' && tag === 'partType') {
      if (typeof value === 'string') this.#part.partType ??= value
      this.#release(index)
    }
  }

  #readText(index: number, value: unknown): void {
    if (this.#flowing !== undefined) {
      this.#say(index, this.#flowing.partType, this.#flowing.unsaid)
      this.#flowing = undefined
    } else if (!this.#part.hasText && typeof value === 'string') {
      this.#part.unsaid = value
      this.#release(index)
    }
    this.#part.hasText = true
  }

  /** Shows the part's text when its type is known. */
  #release(index: number): void {
    const { partType, unsaid } = this.#part
    if (partType === undefined || unsaid === undefined) return
    delete this.#part.unsaid
    if (!this.#stateIsWrong && this.#rules.streamsText(partType)) this.#say(index, partType, unsaid)
  }

  #say(index: number, partType: string, delta: string): void {
    if (delta !== '') this.#said.push({ index, partType, delta })
  }

  /** The index of the part that the path leads into. */
  #indexOf([member, index]: JsonPath): number | undefined {
    return !this.#partsAreRead && member === 'parts' && typeof index === 'number' ? index : undefined
  }
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
