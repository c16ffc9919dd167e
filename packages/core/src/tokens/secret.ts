import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { BeachError } from '../errors.ts'

/** One secret of at least 32 bytes, or several while one replaces another: the first signs, all verify. */
export type Secret = Uint8Array | readonly Uint8Array[]

const minBytes = 32

/** The keys of a secret, the one that signs first. */
export function secretKeys(secret: Secret): readonly [KeyObject, ...KeyObject[]] {
  const [first, ...others] = secret instanceof Uint8Array ? [secret] : secret
  if (first === undefined || [first, ...others].some(({ byteLength }) => byteLength < minBytes)) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `A secret needs at least ${minBytes} bytes. Make one by: openssl rand -base64 32`,
    )
  }
  return [createSecretKey(first), ...others.map((other) => createSecretKey(other))]
}

/** The secrets in a text such as `BEACH_SECRET`, separated by commas or spaces; the one that signs first. */
export function secretsIn(text: string): Uint8Array[] {
  return text
    .split(/[\s,]+/)
    .filter((secret) => secret !== '')
    .map(bytesOf)
}

/** A text, or bytes that are no text as `hex:00ff…`, such as those of a data folder's own secret. */
function bytesOf(secret: string): Uint8Array {
  const hex = /^hex:((?:[0-9a-f]{2})+)$/i.exec(secret)?.[1]
  return hex === undefined ? new TextEncoder().encode(secret) : Buffer.from(hex, 'hex')
}

/** What a text is signed with. */
export function hmacOf(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Whether one of the keys has made a signature. */
export function isHmacOf(keys: readonly KeyObject[], text: string, signature: Uint8Array): boolean {
  return keys.some((key) => {
    const expected = hmacOf(key, text)
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  })
}
