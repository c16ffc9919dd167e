import { encodeKey, escapeNull } from '@cool-ai/beach-core/postgres'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import { indexed, textOf, type PartPosition } from '../missives/missive-parts.ts'
import { deliveryColumns, deliveryOf, directionOf, packed, type Row } from '../missives/missive-row.ts'
import type { MissiveChange } from '../missives/missive-store.ts'
import type { Missive, MissiveDelivery } from '../missives/missive.ts'
import { digest } from './digest.ts'
import { lexemesOf } from './search-words.ts'

/** What of a missive a change of its delivery needs. */
interface Deliverable {
  readonly originator: string
  readonly direction: Missive['direction']
  readonly at: number
  readonly delivery: MissiveDelivery
}

interface Draft extends Deliverable {
  readonly missive: Missive
  readonly places: readonly (PartPosition | undefined)[]
}

/** True when what the store has of the session must be known before the change can be made. */
export function needsDeliveries({ kind }: MissiveChange): boolean {
  return kind === 'delivery' || kind === 'left'
}

/** The changes of one write, in their order, brought together to what is different at its end. */
export class MissiveChanges {
  readonly #readsLog: boolean
  readonly #codec: MissiveCodec
  /** By their digests, as all else here. */
  readonly #drafts = new Map<string, Draft>()
  readonly #stored: Map<string, Deliverable>
  readonly #delivered = new Set<string>()
  readonly #erased = new Set<string>()
  readonly #artifacts = new Map<string, { name: string; at: number }>()
  #isAllErased = false

  /** With those missives of the session in the store that deliveries may change. */
  constructor(stored: readonly Row[], options: { readonly readsLog: boolean; readonly codec: MissiveCodec }) {
    this.#readsLog = options.readsLog
    this.#codec = options.codec
    this.#stored = new Map(
      stored.map((row) => [
        String(row.missive),
        {
          originator: String(row.originator),
          direction: directionOf(row),
          at: Number(row.at),
          delivery: deliveryOf(row, options.codec),
        },
      ]),
    )
  }

  add(change: MissiveChange): void {
    switch (change.kind) {
      case 'missive': {
        const { missive, places = [] } = change
        const { missiveId, correspondent, direction, at, delivery } = missive
        const originator = digest(correspondent.originatorId)
        this.#drafts.set(digest(missiveId), { missive, places, originator, direction, at, delivery })
        return
      }
      case 'delivery': {
        const { missiveId, delivery } = change
        const ids = missiveId === undefined ? this.#waiting(delivery.deliveryId) : [digest(missiveId)]
        for (const id of ids) this.#deliver(id, delivery)
        return
      }
      case 'left':
        for (const id of this.#waiting()) {
          const found = this.#deliverable(id)
          if (found?.originator !== digest(change.originatorId) || found.delivery.state !== 'queued') continue
          this.#deliver(id, { state: 'dropped', at: change.at })
        }
        return
      case 'artifacts':
        for (const id of change.artifactIds) {
          this.#artifacts.set(digest(id), { name: escapeNull(id), at: Math.floor(change.at) })
        }
        return
      case 'erased':
        return this.#erase(change.originatorIds)
    }
  }

  /** The parameters of the statement `write` that tell what is different. */
  parameters(): unknown[] {
    const drafts = [...this.#drafts]
    const correspondents = new Map(drafts.map(([, { missive }]) => [correspondentId(missive), missive]))
    const addresses = [...correspondents].flatMap(
      ([
        correspondent,
        {
          tenant,
          correspondent: { addresses: all },
        },
      ]) => [...new Set(all)].map((address) => ({ correspondent, address: digest(tenant, this.#codec.name(address)) })),
    )
    const delivered = [...this.#delivered].flatMap((id) => {
      const found = this.#drafts.has(id) ? undefined : this.#stored.get(id)
      return found === undefined ? [] : [{ missive: id, ...storedDelivery(found, this.#codec) }]
    })
    return [
      JSON.stringify(drafts.map(([id, draft]) => ({ missive: id, ...this.#row(draft) }))),
      JSON.stringify([...correspondents.values()].map((missive) => correspondentOf(missive, this.#codec))),
      JSON.stringify(addresses),
      JSON.stringify(delivered),
      this.#isAllErased,
      [...this.#erased],
      JSON.stringify([...this.#artifacts].map(([artifact, named]) => ({ artifact, ...named }))),
    ]
  }

  #row(draft: Draft) {
    const { missiveId, tenant, direction, parts, at, seq, turnId, turnState } = draft.missive
    const text = indexed(textOf(parts))
    const kept = parts.map((part, index) => {
      const place = this.#readsLog ? draft.places[index] : undefined
      return place === undefined ? part : { in: place }
    })
    const body = packed({ missiveId, seq, turnId, turnState, parts: kept })
    return {
      tenant: encodeKey(tenant),
      correspondent: correspondentId(draft.missive),
      direction: direction === 'in' ? 0 : 1,
      at: Math.floor(at),
      ...storedDelivery(draft, this.#codec),
      body: Buffer.from(this.#codec.bytes(body, draft.missive.sessionId)).toString('base64'),
      words: lexemesOf(tenant, text, this.#codec),
    }
  }

  #deliverable(id: string): Deliverable | undefined {
    return this.#drafts.get(id) ?? this.#stored.get(id)
  }

  /** Those whose delivery may come further: all of them, or the one with this id. */
  #waiting(deliveryId?: string): string[] {
    const ids = new Set([...this.#stored.keys(), ...this.#drafts.keys()])
    return [...ids].filter((id) => {
      const found = this.#deliverable(id)
      const waitingId = found && deliveryColumns(found.delivery, found, this.#codec)[0]
      return waitingId !== null && waitingId !== undefined && waitingId === (deliveryId ?? waitingId)
    })
  }

  #deliver(id: string, change: Partial<MissiveDelivery>): void {
    const [draft, stored] = [this.#drafts.get(id), this.#stored.get(id)]
    if (draft !== undefined) this.#drafts.set(id, { ...draft, delivery: { ...draft.delivery, ...change } })
    else if (stored !== undefined) {
      this.#stored.set(id, { ...stored, delivery: { ...stored.delivery, ...change } })
      this.#delivered.add(id)
    }
  }

  #erase(originatorIds?: readonly string[]): void {
    const gone = originatorIds && new Set(originatorIds.map((id) => digest(id)))
    for (const rows of [this.#drafts, this.#stored]) {
      for (const [id, { originator }] of rows) if (gone?.has(originator) ?? true) rows.delete(id)
    }
    for (const originator of gone ?? []) this.#erased.add(originator)
    if (gone !== undefined) return
    this.#isAllErased = true
    this.#artifacts.clear()
  }
}

function storedDelivery({ delivery, direction, at }: Deliverable, codec: MissiveCodec) {
  const [deliveryId, text] = deliveryColumns(delivery, { direction, at }, codec)
  return { deliveryId: deliveryId === null ? null : escapeNull(deliveryId), delivery: text }
}

function correspondentOf(missive: Missive, codec: MissiveCodec) {
  const { tenant, threadId, channel, correspondent, owner } = missive
  return {
    correspondent: correspondentId(missive),
    tenant: encodeKey(tenant),
    originator: digest(correspondent.originatorId),
    thread: digest(threadId),
    channel: encodeKey(channel),
    owner: owner === undefined ? null : digest(tenant, codec.name(owner)),
    about: codec.text(aboutOf(missive)),
  }
}

function correspondentId(missive: Missive): string {
  return digest(aboutOf(missive))
}

function aboutOf({ tenant, sessionId, threadId, channel, correspondent, owner }: Missive): string {
  return JSON.stringify({ tenant, sessionId, threadId, channel, correspondent, owner })
}
