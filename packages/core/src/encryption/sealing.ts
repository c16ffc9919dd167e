import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { BeachError } from '../errors.ts'

const algorithm = 'aes-256-gcm'
/** How long every key is. */
export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
/** How much longer sealed bytes are than what is in them. */
export const sealedExtraBytes = nonceBytes + tagBytes

/**
 * A key that encrypts by AES-256-GCM. What it seals is bound to its place (`['event', session]`): moved to another one, it
 * cannot be opened.
 */
export class Sealing {
  readonly #key: KeyObject

  constructor(key: Uint8Array) {
    if (key.byteLength !== keyBytes) throw new BeachError('INTERNAL', `A key has ${keyBytes} bytes.`)
    this.#key = createSecretKey(key)
  }

  /** The nonce, the tag and the encrypted content, one after the other. No nonce may be given for two contents. */
  seal(content: string | Uint8Array, place: readonly string[], nonce: Uint8Array = newNonce()): Buffer {
    const cipher = createCipheriv(algorithm, this.#key, nonce)
    cipher.setAAD(bytesOfPlace(place))
    const encrypted = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content)
    cipher.final()
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
  }

  /** The content; throws STORE_DAMAGED when it was altered, comes from another place, or was sealed by another key. */
  open(sealed: Uint8Array, place: readonly string[]): Buffer {
    try {
      const nonce = sealed.subarray(0, nonceBytes)
      const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(bytesOfPlace(place))
      decipher.setAuthTag(sealed.subarray(nonceBytes, sealedExtraBytes))
      const content = decipher.update(sealed.subarray(sealedExtraBytes))
      decipher.final()
      return content
    } catch (cause) {
      throw notOpened(place, cause)
    }
  }
}

/** What is stored at a place cannot be decrypted. */
export function notOpened(place: readonly string[], cause?: unknown): BeachError {
  const message = `What is stored at ${place.join(' ')} cannot be decrypted: it was altered, copied from another place, or encrypted by a key that this data does not have.`
  return new BeachError('STORE_DAMAGED', message, { cause })
}

function bytesOfPlace(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place))
}

// Secure random numbers cost the same for few bytes as for thousands.
const pool = { bytes: Buffer.alloc(0), used: 0 }

function newNonce(): Buffer {
  if (pool.used === pool.bytes.length) Object.assign(pool, { bytes: randomBytes(nonceBytes * 400), used: 0 })
  pool.used += nonceBytes
  return pool.bytes.subarray(pool.used - nonceBytes, pool.used)
}
