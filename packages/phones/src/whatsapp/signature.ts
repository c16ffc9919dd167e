import { createHmac, hash, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-f]{64})$/i

/** Whether this could be a signature. */
export function isSignature(header: string | null): boolean {
  return form.test(header ?? '')
}

/** Whether one of the secrets has signed these bytes. */
export function isSigned(body: Uint8Array, header: string | null, secrets: readonly string[]): boolean {
  const [, hex] = form.exec(header ?? '') ?? []
  if (hex === undefined) return false
  const given = Buffer.from(hex, 'hex')
  // All are compared, so that the time it takes says nothing of which one it was.
  return (
    secrets.filter((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given)).length > 0
  )
}

/** Whether two words are the same, in a time that does not say how much of them is. */
export function isSameWord(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}
