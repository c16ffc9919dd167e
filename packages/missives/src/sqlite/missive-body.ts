import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Part } from '@cool-ai/beach-core'
import type { Missive } from '../missives/missive.ts'
import type { PartPlace } from '../missives/part-place.ts'

/** In place of a part that stands in the log: where. */
export interface PlacedPart {
  readonly in: PartPlace
}

export type KeptPart = Part | PlacedPart

/** What no other missive shares with it. */
export interface MissiveBody extends Pick<Missive, 'missiveId' | 'seq' | 'turnId' | 'turnState'> {
  readonly parts: readonly KeptPart[]
  /** What it was found by, where its parts alone do not tell. */
  readonly words?: string
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
const largestBytes = 64 * 1024 * 1024

export function packed(body: MissiveBody): Uint8Array {
  return deflateRawSync(JSON.stringify(body), { dictionary, level: 9 })
}

export function unpacked(bytes: Uint8Array): MissiveBody {
  return JSON.parse(String(inflateRawSync(bytes, { dictionary, maxOutputLength: largestBytes }))) as MissiveBody
}
