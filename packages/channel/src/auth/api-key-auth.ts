import { BeachError, systemClock, type Authenticator, type Clock, type Principal } from '@cool-ai/beach-core'
import { parseKeyHash } from './api-key.ts'
import { findByDigest, sha256, type Digested } from './find-by-digest.ts'
import { headerName } from './header-name.ts'
import { toPrincipal, type KnownCaller } from './known-caller.ts'

/** A key that a caller was given. To change a key, list the old and the new one under the same caller for a while. */
export interface ApiKey extends KnownCaller {
  /** What `hashApiKey` gave; the key itself is kept nowhere. */
  readonly hash: string
  /** An ISO date and time, or milliseconds. */
  readonly expiresAt?: string | number | undefined
}

/** The header of the keys, and the keys that are known, as hashes. */
export interface ApiKeyAuthOptions {
  /** The header that the card names. */
  readonly header: string
  readonly keys: readonly ApiKey[]
  readonly clock?: Clock | undefined
}

interface Known extends Digested {
  readonly principal: Principal
  readonly expiresAt: number
}

/** Callers by an API key in a header. */
export function apiKeyAuth({ header, keys, clock = systemClock }: ApiKeyAuthOptions): Authenticator {
  const name = headerName(header)
  const known = keys.map((key, index) => toKnown(key, index))
  if (new Set(keys.map(({ hash }) => hash)).size < keys.length) throw wrong('Two of the API keys are the same.')
  return async (request) => {
    const given = request.headers.get(name)
    if (given === null) return undefined
    const key = findByDigest(known, sha256(given))
    if (key === undefined) throw new BeachError('UNAUTHENTICATED', `The API key in '${header}' is not known here.`)
    if (clock.now() >= key.expiresAt)
      throw new BeachError('UNAUTHENTICATED', 'This API key has expired. Get a new one.')
    return { principal: key.principal, credential: { type: 'api-key', header: name } }
  }
}

function toKnown(key: ApiKey, index: number): Known {
  const digest = parseKeyHash(key.hash)
  if (digest === undefined) throw wrong(`The hash of API key ${index} is malformed. Make it with hashApiKey(key).`)
  return { digest, principal: toPrincipal(key), expiresAt: toTime(key.expiresAt, index) }
}

function toTime(given: string | number | undefined, index: number): number {
  const time = given === undefined ? Infinity : new Date(given).getTime()
  if (Number.isNaN(time)) throw wrong(`The expiresAt of API key ${index} is not a time such as '2027-01-01T00:00:00Z'.`)
  return time
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
