import { X509Certificate } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import { sha256 } from './find-by-digest.ts'

const prefix = /^sha-?256(?: fingerprint)?[:=]/i
const digest = /^[0-9a-f]{64}$/i

/** The SHA-256 fingerprint of a certificate, given as PEM or DER: what others list to let its holder in. */
export function fingerprintOf(certificate: string | Uint8Array): string {
  return sha256(new X509Certificate(certificate).raw).toString('hex')
}

/** The 32 bytes of a fingerprint, as people and tools write it: hexadecimal, with or without colons. */
export function readFingerprint(given: string): Buffer | undefined {
  const hex = given.trim().replace(prefix, '').replaceAll(':', '')
  return digest.test(hex) ? Buffer.from(hex, 'hex') : undefined
}

/** The same of one's own settings, where anything else is a mistake. */
export function parseFingerprint(given: string): Buffer {
  const bytes = readFingerprint(given)
  if (bytes !== undefined) return bytes
  const message = `'${given.slice(0, 100)}' is not a SHA-256 fingerprint of a certificate: give 64 hexadecimal digits.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
