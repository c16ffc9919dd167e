import type { MergeStrategy, Part, PartMetadata } from '@cool-ai/beach-core'
import { Budget, mergeLimits, type MergeLimits } from './merge-budget.ts'
import { Slot } from './merge.ts'
import { isPlainObject, safeEntries } from './plain-value.ts'

/** A place of the domain object: a top-level key, filled by parts without a slot key or by one slot. */
interface DomainSlot {
  readonly slot: Slot
  /** The part that last wrote a slot; undefined when a part without a slot key wrote the place. */
  slotMetadata?: PartMetadata | undefined
  /** What all that was written here amounts to, for a listener that already has something in the slot. */
  strategy: MergeStrategy
}

/** Domain data of a turn on its way into one object; every part costs what it brings. */
export class DomainData {
  readonly #budget: Budget
  readonly #places = new Map<string, DomainSlot>()
  #plainMetadata: PartMetadata | undefined

  constructor(limits: MergeLimits = mergeLimits) {
    this.#budget = new Budget(limits)
  }

  add(part: Part): void {
    const { slotKey, mergeStrategy = 'replace' } = part.metadata
    if (slotKey !== undefined) return this.#write(slotKey, mergeStrategy, part.data, part.metadata)
    this.#plainMetadata = joined(this.#plainMetadata, part.metadata)
    const members = isPlainObject(part.data) ? part.data : { [part.metadata.kind ?? 'data']: part.data }
    for (const [key, value] of safeEntries(members)) this.#write(key, 'replace', value)
  }

  /** True when the top-level key was last written by a part without a slot key. */
  isPlain(key: string): boolean {
    const place = this.#places.get(key)
    return place !== undefined && place.slotMetadata === undefined
  }

  /** The one object: what citations point into. */
  object(): Record<string, unknown> {
    return Object.fromEntries([...this.#places].map(([key, { slot }]) => [key, slot.value]))
  }

  /** The same as parts: one for everything without a slot key, and one per slot. Collecting them gives `object()`. */
  parts(): Part[] {
    const plain: [string, unknown][] = []
    const slots: Part[] = []
    for (const [key, place] of this.#places) {
      if (place.slotMetadata === undefined) plain.push([key, place.slot.value])
      else slots.push({ data: place.slot.value, metadata: withStrategy(place.slotMetadata, place.strategy) })
    }
    if (this.#plainMetadata === undefined) return slots
    return [{ data: Object.fromEntries(plain), metadata: this.#plainMetadata }, ...slots]
  }

  #write(key: string, strategy: MergeStrategy, value: unknown, slotMetadata?: PartMetadata): void {
    if (key === '__proto__') return
    const standing = this.#places.get(key)
    const place = standing ?? { slot: new Slot(this.#budget), strategy }
    place.strategy = standing === undefined ? strategy : composed(standing.strategy, strategy)
    place.slot.apply(strategy, value)
    place.slotMetadata = slotMetadata
    this.#places.set(key, place)
  }
}

/** The domain data of parts as one object. */
export function collectDomainData(parts: readonly Part[], limits?: MergeLimits): Record<string, unknown> {
  const collected = new DomainData(limits)
  for (const part of parts) if (part.metadata.partType === 'domain-data') collected.add(part)
  return collected.object()
}

// Two of the same kind are one of that kind; anything else only replaces, whatever stood there before this turn.
function composed(first: MergeStrategy, second: MergeStrategy): MergeStrategy {
  return first === second ? first : 'replace'
}

function withStrategy(metadata: PartMetadata, mergeStrategy: MergeStrategy): PartMetadata {
  return mergeStrategy === (metadata.mergeStrategy ?? 'replace') ? metadata : { ...metadata, mergeStrategy }
}

// Data of several kinds is of no single kind.
function joined(standing: PartMetadata | undefined, metadata: PartMetadata): PartMetadata {
  if (standing === undefined) return metadata
  const { kind, ...rest } = { ...standing, ...metadata }
  return standing.kind === metadata.kind && kind !== undefined ? { ...rest, kind } : rest
}
