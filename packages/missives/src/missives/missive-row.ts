import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Part } from '@cool-ai/beach-core'
import type { PartPosition } from './missive-parts.ts'
import type { MissiveCodec } from './missive-codec.ts'
import type { Missive, MissiveDelivery } from './missive.ts'

/** A row of a database. */
export type Row = Readonly<Record<string, unknown>>

/** Most missives were received, or offered, at their own time. */
const defaultStates = { in: 'received', out: 'offered' } as const

/** What the missives of a correspondent have in common. */
type Shared = Pick<Missive, 'tenant' | 'sessionId' | 'threadId' | 'channel' | 'correspondent' | 'owner'>

/** A missive whose large parts are still to be read from the log. */
export type StoredMissive = Omit<Missive, 'parts'> & {
  readonly parts: readonly StoredPart[]
  readonly words?: string | undefined
}

export function toKept(row: Row, codec: MissiveCodec): StoredMissive {
  const shared = JSON.parse(codec.openText(String(row.about))) as Shared
  const body = unpacked(codec.openBytes(row.body as Uint8Array, shared.sessionId))
  return { ...shared, ...body, direction: directionOf(row), at: Number(row.at), delivery: deliveryOf(row, codec) }
}

/** By which a missive is found: a number is shorter than its id, and others may have the same. */
export function codeOf(missiveId: string): number {
  return createHash('sha256').update(missiveId).digest().readUIntBE(0, 6)
}

/** A word that stands for the tenant in the index, so that a search looks only at this tenant's missives. */
export function scopeOf(tenant: string): string {
  return `t${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
}

/** The id of a delivery that may still come further, and what is kept of it: nothing where it is the default one. */
export function deliveryColumns(
  delivery: MissiveDelivery,
  { direction, at }: Pick<Missive, 'direction' | 'at'>,
  codec: MissiveCodec,
): [waitingId: string | null, delivery: string | null] {
  const { state, at: since, deliveryId, ...more } = delivery
  const waitingId = state === 'queued' || state === 'failed' ? (deliveryId ?? null) : null
  const isDefault =
    state === defaultStates[direction] &&
    since === Math.floor(at) &&
    deliveryId === undefined &&
    Object.keys(more).length === 0
  return [waitingId, isDefault ? null : codec.text(JSON.stringify(delivery))]
}

export function deliveryOf(row: Row, codec: MissiveCodec): MissiveDelivery {
  if (typeof row.delivery === 'string') return JSON.parse(codec.openText(row.delivery)) as MissiveDelivery
  return { state: defaultStates[directionOf(row)], at: Number(row.at) }
}

export function directionOf(row: Row): Missive['direction'] {
  return Number(row.direction) === 0 ? 'in' : 'out'
}

/** Every part has metadata. */
export function isPlace(part: StoredPart): part is PlacedPart {
  return !('metadata' in part)
}

/** In place of a part that stands in the log: where. */
export interface PlacedPart {
  readonly in: PartPosition
}

export type StoredPart = Part | PlacedPart

/** What no other missive shares with it. */
export interface MissiveBody extends Pick<Missive, 'missiveId' | 'seq' | 'turnId' | 'turnState'> {
  readonly parts: readonly StoredPart[]
  /** What it was found by, where its parts alone do not tell. */
  readonly words?: string | undefined
}

// What most bodies have in them; most of it last, where references to it are shortest. Part of the format: with
// another text here, bodies cannot be read, and the version of the schema must be raised.
const dictionary = Buffer.from(
  [
    '"clarifying","error","suspended","delegated","passed"',
    '"domain-data","data":{"kind":"name":"id":"title":"status":"approval-request","approval-response","artifact"',
    '"thinking"}},{"text":"}},{"data":{',
    '"metadata":{"partType":"ack"}},{"text":"',
    ',"turnId":"turn_","turnState":"complete","parts":[{"text":"","metadata":{"partType":"response"}}]}',
    '{"missiveId":"mis_","seq":1,"parts":[{"text":"","metadata":{"partType":"message"}}]}',
  ].join(''),
)
const maxBytes = 64 * 1024 * 1024

export function packed(body: MissiveBody): Uint8Array {
  return deflateRawSync(JSON.stringify(body), { dictionary, level: 9 })
}

function unpacked(bytes: Uint8Array): MissiveBody {
  return JSON.parse(String(inflateRawSync(bytes, { dictionary, maxOutputLength: maxBytes }))) as MissiveBody
}
