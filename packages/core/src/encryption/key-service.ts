import { createHash } from 'node:crypto'
import { BeachError } from '../errors.ts'
import { keyBytes, Sealing } from './sealing.ts'

/** A key that another key has encrypted, and which one that was. */
export interface WrappedKey {
  /** Names the key-encryption key; not secret. */
  readonly keyId: string
  /** In an alphabet of the service's own, such as Base64. */
  readonly wrapped: string
}

/** Keeps key-encryption keys, such as a KMS: the data has only keys that it has wrapped. */
export interface KeyService {
  /** Encrypts a key of 32 bytes by the key-encryption key that is in use now. */
  wrap(key: Uint8Array, signal?: AbortSignal): Promise<WrappedKey>
  /** Gives the key back, also by key-encryption keys that were in use before. */
  unwrap(key: WrappedKey, signal?: AbortSignal): Promise<Uint8Array>
  /** Keeps the key of a tenant that has one of its own; undefined for a tenant whose content has the key of the data. */
  forTenant?(tenant: string): KeyService | undefined
}

/** The environment variable with the keys, the one in use first. */
export const encryptionVariable = 'BEACH_ENCRYPTION_KEYS'

interface NamedKey {
  readonly id: string
  /** As an URL has it. */
  readonly tenant?: string | undefined
  readonly sealing: Sealing
}

/**
 * A key service of keys that are given: a list separated by commas or spaces, each 32 bytes in Base64, with a name before
 * it if it is to have one (`2026-11:…`), and before that the tenant that it is of if it is one's own (`acme/2026-11:…`).
 * The first one encrypts, all decrypt.
 */
export function givenKeys(keys: string | readonly string[], where: string = encryptionVariable): KeyService {
  const entries = (typeof keys === 'string' ? keys.split(/[\s,]+/) : keys).filter((entry) => entry !== '')
  const named = entries.map((entry, index) => namedKey(entry, index, where))
  const byTenant = Map.groupBy(named, ({ tenant }) => tenant)
  const services = new Map([...byTenant].map(([tenant, some]) => [tenant, serviceOf(some, where)]))
  const ofData = services.get(undefined)
  if (ofData === undefined) {
    const which = named.length === 0 ? 'no key' : 'no key that is of no tenant'
    throw wrong(`${where} has ${which}. Make one by: openssl rand -base64 32`)
  }
  return { ...ofData, forTenant: (tenant) => services.get(encodeURIComponent(tenant)) }
}

/** A key service of keys of which each has a name of its own. */
function serviceOf(named: readonly NamedKey[], where: string): KeyService {
  const [first] = named
  if (first === undefined) throw new BeachError('INTERNAL', 'A key service needs a key.')
  const ids = named.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw wrong(`${where} has two keys with the name ${twice}. Give each key a name of its own.`)
  return {
    wrap: async (key) => ({ keyId: first.id, wrapped: first.sealing.seal(key, placeOf(first.id)).toString('base64') }),
    async unwrap({ keyId, wrapped }) {
      const found = named.find(({ id }) => id === keyId)
      if (found === undefined) {
        throw wrong(
          `This data is encrypted with the key ${keyId}, which ${where} does not have (it has ${ids.join(', ')}). Add that key to the list.`,
        )
      }
      try {
        return found.sealing.open(Buffer.from(wrapped, 'base64'), placeOf(keyId))
      } catch (cause) {
        const message = `The key ${keyId} of ${where} is another one than the key ${keyId} that this data is encrypted with.`
        throw wrong(message, cause)
      }
    },
  }
}

function namedKey(entry: string, index: number, where: string): NamedKey {
  const [, tenant, name, text = ''] = /^(?:(?:([^/:]+)\/)?([A-Za-z0-9][\w.-]{0,63}):)?(.*)$/s.exec(entry) ?? []
  const key = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined
  // The text is not repeated: it may be most of a key.
  if (key?.byteLength !== keyBytes) {
    throw wrong(`Key ${index + 1} of ${where} is not 32 bytes in Base64. Make one by: openssl rand -base64 32`)
  }
  return { id: name ?? createHash('sha256').update(key).digest('hex').slice(0, 8), tenant, sealing: new Sealing(key) }
}

function placeOf(keyId: string): readonly string[] {
  return ['main key', keyId]
}

function wrong(message: string, cause?: unknown): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message, { cause })
}
