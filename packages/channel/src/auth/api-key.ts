import { randomBytes } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import { sha256 } from './find-by-digest.ts'
import { isHeaderValue } from './header-name.ts'

const minLength = 24
const hashPattern = /^sha256:([0-9a-f]{64})$/

/** A new API key: 256 random bits behind a prefix by which scanners of leaked secrets know it. */
export function newApiKey(): string {
  return `beach_${randomBytes(32).toString('base64url')}`
}

/**
 * What is stored of an API key: its SHA-256. That is enough for a random key, which cannot be guessed from it; it would
 * not be for a password, so short keys are refused.
 */
export function hashApiKey(key: string): string {
  if (key.length < minLength || !isHeaderValue(key)) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `An API key needs at least ${minLength} characters of visible ASCII, all of them random. Make one with newApiKey().`,
    )
  }
  return `sha256:${sha256(key).toString('hex')}`
}

/** The bytes of such a hash; undefined when it is none. */
export function parseKeyHash(hash: string): Buffer | undefined {
  const hex = hashPattern.exec(hash)?.[1]
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}
