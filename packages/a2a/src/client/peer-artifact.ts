import type { Artifact } from '@a2a-js/sdk'
import { fromPeerPart, type PartOrigin, type PeerPart } from '@cool-ai/beach-channel/peers'
import { BeachError, type Part } from '@cool-ai/beach-core'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'

interface Entry {
  part: Part
  /** Of what it says, when that is no text; a part of data never changes. */
  readonly hash: string | undefined
  /** The text that was appended since it was last reported. */
  added: string
  isOpen: boolean
  reported?: { readonly text: string | undefined; readonly hash: string | undefined; readonly isOpen: boolean }
}

// It is said of each part: what is little once is much then.
const maxMetadata = 200

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
  /** The peer has said that nothing more comes. */
  #isWhole = false

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

  /** Takes what has come, and says what is new. Of what is appended to, only the end is looked at. */
  take({ parts, metadata }: Artifact, { append, isLast }: { append: boolean; isLast: boolean }): PeerPart[] {
    if (metadata !== undefined) this.#metadata = bounded(metadata)
    // A peer that continues after the last piece is not believed again.
    const isEnd = isLast && !(append && this.#isWhole)
    this.#isWhole = isLast || (append && this.#isWhole)
    const before = this.#entries
    const from = append ? Math.max(0, before.length - 1) : 0
    if (!append) this.#entries = []
    // What is taken back has a part all the same, since A2A wants one; it is empty.
    for (const given of metadata?.retracted === true ? [] : parts) {
      const part = fromPeerPart(given, {
        id: this.#idAt(this.#entries.length),
        text: 'response',
        origin: this.#origin,
        depth: this.#depth,
        metadata: this.#metadata,
      })
      if (part !== undefined) this.#add(part)
    }
    for (const [index, entry] of this.#entries.slice(from).entries()) {
      const reported = append ? entry.reported : before[index]?.reported
      if (reported !== undefined) entry.reported = reported
      // A snapshot may be anything; only what is appended is known to be new.
      if (!append) entry.added = ''
      // What comes again as it was, in a snapshot, is as closed as it was.
      const isAgain = reported?.isOpen === false && reported.text === entry.part.text
      entry.isOpen = entry.part.text !== undefined && !isEnd && !isAgain && from + index === this.#entries.length - 1
    }
    return [...this.#news(from), ...(append ? [] : this.#retracted(before))]
  }

  close(): PeerPart[] {
    for (const entry of this.#entries) entry.isOpen = false
    return this.#news(0)
  }

  #add(part: Part): void {
    const last = this.#entries.at(-1)
    const isSame = last?.part.metadata.partType === part.metadata.partType
    if (last?.part.text === undefined || part.text === undefined || !isSame) {
      const hash = part.text === undefined ? contentHash(part.data) : undefined
      this.#entries.push({ part, hash, added: '', isOpen: false })
    } else {
      last.part = { ...last.part, text: last.part.text + part.text }
      last.added += part.text
    }
  }

  #news(from: number): PeerPart[] {
    return this.#entries.slice(from).flatMap((entry, index) => {
      const { part, hash, isOpen, reported } = entry
      const { added } = entry
      entry.added = ''
      if (reported !== undefined && reported.text === part.text && reported.hash === hash && reported.isOpen === isOpen)
        return []
      entry.reported = { text: part.text, hash, isOpen }
      const delta = grown(reported?.text, part.text, added)
      return [{ partId: this.#idAt(from + index), part, isOpen, ...defined({ delta }) }]
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

/** What is new of a text. One that was only appended to is not compared: it can be long, and what was added short. */
function grown(before: string | undefined, now: string | undefined, added: string): string | undefined {
  if (now === undefined) return undefined
  if (before === undefined) return now
  if (before.length >= now.length) return undefined
  if (before.length + added.length === now.length) return added
  return now.startsWith(before) ? now.slice(before.length) : undefined
}

function bounded(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const rest: unknown[] = [metadata]
  let count = 0
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const inside = Object.values(value)
    count += inside.length
    if (count > maxMetadata) throw new BeachError('PEER_PROTOCOL', 'An artifact of the peer has too much metadata.')
    rest.push(...inside)
  }
  return metadata
}
