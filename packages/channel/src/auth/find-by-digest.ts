import { createHash, timingSafeEqual } from 'node:crypto'

/** An entry that is known by 32 bytes that only its holder can produce. */
export interface Digested {
  readonly digest: Uint8Array
}

/** The SHA-256 of a text or of bytes. */
export function sha256(value: string | Uint8Array): Buffer {
  return createHash('sha256').update(value).digest()
}

/**
 * The entry with this digest. Every entry is compared, each in constant time: the time does not tell which one it was.
 */
export function findByDigest<Entry extends Digested>(entries: readonly Entry[], digest: Uint8Array): Entry | undefined {
  let found: Entry | undefined
  for (const entry of entries) {
    if (timingSafeEqual(entry.digest, digest)) found = entry
  }
  return found
}
