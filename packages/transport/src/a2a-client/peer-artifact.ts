import type { Artifact } from '@a2a-js/sdk'
import { contentHash, type Part } from '@cool-ai/beach-core'
import type { PartOrigin, PeerPart } from './call-result.ts'
import { fromA2aPart } from './from-a2a-part.ts'

interface Entry {
  part: Part
  isOpen: boolean
  /** What was last told of it. */
  told?: { readonly text: string | undefined; readonly hash: string | undefined; readonly isOpen: boolean }
}

/**
 * One artifact of a task while it grows. A piece of text that is appended to text makes it longer: that is how agents
 * stream, although A2A only says that the list of parts grows.
 */
export class PeerArtifact {
  readonly #id: string
  readonly #origin: PartOrigin
  readonly #depth: number
  #entries: Entry[] = []
  #metadata: Readonly<Record<string, unknown>> | undefined

  constructor(id: string, origin: PartOrigin, depth: number) {
    this.#id = id
    this.#origin = origin
    this.#depth = depth
  }

  get parts(): Part[] {
    return this.#entries.map(({ part }) => part)
  }

  get size(): number {
    return this.#entries.length
  }

  /** Takes what has come, and says what is new. */
  take({ parts, metadata }: Artifact, { append, isLast }: { append: boolean; isLast: boolean }): PeerPart[] {
    this.#metadata = metadata ?? this.#metadata
    const before = this.#entries
    if (!append) this.#entries = []
    for (const given of parts) {
      const part = fromA2aPart(given, {
        id: this.#idAt(this.#entries.length),
        text: 'response',
        origin: this.#origin,
        depth: this.#depth,
        metadata: this.#metadata,
      })
      if (part !== undefined) this.#add(part)
    }
    this.#entries.forEach((entry, index) => {
      const told = append ? entry.told : before[index]?.told
      if (told !== undefined) entry.told = told
      // What comes again as it was, in a snapshot, is as closed as it was.
      const isAgain = told?.isOpen === false && told.text === entry.part.text
      entry.isOpen = entry.part.text !== undefined && !isLast && !isAgain && index === this.#entries.length - 1
    })
    return [...this.#news(), ...(append ? [] : this.#retracted(before))]
  }

  /** Nothing more comes. */
  close(): PeerPart[] {
    for (const entry of this.#entries) entry.isOpen = false
    return this.#news()
  }

  #add(part: Part): void {
    const last = this.#entries.at(-1)
    const isSame = last?.part.metadata.partType === part.metadata.partType
    if (last?.part.text === undefined || part.text === undefined || !isSame) {
      this.#entries.push({ part, isOpen: false })
    } else {
      last.part = { ...last.part, text: last.part.text + part.text }
    }
  }

  #news(): PeerPart[] {
    return this.#entries.flatMap((entry, index) => {
      const { part, isOpen, told } = entry
      const hash = part.text === undefined ? contentHash(part.data) : undefined
      if (told !== undefined && told.text === part.text && told.hash === hash && told.isOpen === isOpen) return []
      entry.told = { text: part.text, hash, isOpen }
      const delta = grown(told?.text, part.text)
      return [{ partId: this.#idAt(index), part, isOpen, ...(delta !== undefined && { delta }) }]
    })
  }

  #retracted(before: readonly Entry[]): PeerPart[] {
    return before.slice(this.#entries.length).map(({ part }, index) => {
      return { partId: this.#idAt(this.#entries.length + index), part, isOpen: false, isRetracted: true }
    })
  }

  #idAt(index: number): string {
    return index === 0 ? this.#id : `${this.#id}.${index}`
  }
}

function grown(before: string | undefined, now: string | undefined): string | undefined {
  if (now === undefined) return undefined
  if (before === undefined) return now
  return now.startsWith(before) && now.length > before.length ? now.slice(before.length) : undefined
}
