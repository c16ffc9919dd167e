import { BeachError, type ArtifactStore, type Store } from '@cool-ai/beach-core'
import type { KeyService, TenantKeys } from '@cool-ai/beach-core/encryption'
import type { ArtifactKeys, MissiveCodec } from '@cool-ai/beach-missives/sealed'
import type { SealedStore } from '@cool-ai/beach-session/sealed'

export type { KeyService } from '@cool-ai/beach-core/encryption'

/** By which keys the data is encrypted; one of the two. */
export interface EncryptionOptions {
  /**
   * Keys of 32 bytes in Base64, each with a name before it if it is to have one (`2026-11:…`): the first one encrypts, all
   * decrypt. With a tenant before the name (`acme/2026-11:…`) it is the key of that tenant. Those of the environment variable `BEACH_ENCRYPTION_KEYS` when left out.
   */
  readonly keys?: string | readonly string[] | undefined
  /** Keeps the keys elsewhere, such as in a KMS. */
  readonly service?: KeyService | undefined
}

/** What encrypts the data of an agent. */
export interface Encryption {
  readonly store: SealedStore
  readonly codec: MissiveCodec
  artifacts(store: ArtifactStore): ArtifactStore
}

/** The largest artifact that stores take, with what encrypting it adds. */
export const sealedLimits = { maxBytes: 25.5 * 1024 * 1024 } as const

/** The service with the keys that are given, or that the environment has; undefined when data is not to be encrypted. */
export async function keyServiceOf(
  encryption: EncryptionOptions | false | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<KeyService | undefined> {
  if (encryption === false) return undefined
  const { keys = environment.BEACH_ENCRYPTION_KEYS, service } = encryption ?? {}
  if (service !== undefined) {
    if (encryption?.keys === undefined) return service
    throw wrong('`encryption` takes `keys` or `service`, one of the two.')
  }
  if (keys === undefined || keys === '') {
    if (encryption === undefined) return undefined
    throw wrong('`encryption` has no keys. Give it `keys`, or set BEACH_ENCRYPTION_KEYS: openssl rand -base64 32')
  }
  const { encryptionVariable, givenKeys } = await import('@cool-ai/beach-core/encryption')
  return givenKeys(keys, encryption?.keys === undefined ? encryptionVariable : '`encryption.keys`')
}

const encryptions = new WeakMap<Store, Encryption>()

/** What encrypts the data that this store belongs to; undefined where it is not encrypted. */
export function encryptionOf(store: Store): Encryption | undefined {
  return encryptions.get(store)
}

/** Keys that are given as text, which nothing may show. */
export function keysIn(encryption: EncryptionOptions | false | undefined): readonly string[] {
  const { keys = [] } = encryption || {}
  const entries = typeof keys === 'string' ? keys.split(/[\s,]+/) : keys
  return entries.flatMap((entry) => [entry, entry.slice(entry.indexOf(':') + 1)])
}

/**
 * Encrypts a store by the keys of a service. Without a service the data must not be encrypted: to go on with it would
 * write readable content next to what cannot be read.
 */
export async function openEncryption(store: Store, service: KeyService | undefined): Promise<Encryption | undefined> {
  if (service === undefined) {
    await refuseEncrypted(store)
    return undefined
  }
  const { TenantKeys } = await import('@cool-ai/beach-core/encryption')
  const tenants = await TenantKeys.open(store, service)
  const [{ SealedStore }, { SealedArtifactStore, sealedMissives }] = await Promise.all([
    import('@cool-ai/beach-session/sealed'),
    import('@cool-ai/beach-missives/sealed'),
  ])
  const sealed = new SealedStore(store, tenants)
  const encryption: Encryption = {
    store: sealed,
    codec: sealedMissives(tenants),
    artifacts: (artifacts) => new SealedArtifactStore(artifacts, artifactKeys(sealed, tenants)),
  }
  encryptions.set(sealed, encryption)
  return encryption
}

/** The key of an artifact has that of its session around it; one of no session, that of its tenant. */
function artifactKeys(sealed: SealedStore, tenants: TenantKeys): ArtifactKeys {
  const placeOf = (tenant: string) => ['artifact', tenant]
  return {
    async wrap(key, { tenant, session }) {
      const text = Buffer.from(key).toString('base64')
      if (session === undefined) return (await tenants.of(tenant)).seal('artifact', text, placeOf(tenant))
      return `s${(await sealed.keyOf(session)).seal('artifact', text)}`
    },
    async unwrap(wrapped, { tenant, session }) {
      if (session !== undefined) return fromBase64((await sealed.keyOf(session)).open('artifact', wrapped.slice(1)))
      const keys = await tenants.of(tenant)
      return keys.isLost(wrapped) ? undefined : fromBase64(keys.open('artifact', wrapped, placeOf(tenant)).toString())
    },
  }
}

async function refuseEncrypted(store: Store): Promise<void> {
  const [found] = await store.list('encryption:', undefined, 1)
  if (found === undefined) return
  const { keysNeeded } = await import('@cool-ai/beach-core/encryption')
  const names = (await keysNeeded(store)).join(', ')
  throw wrong(`This data is encrypted with the key ${names}. Set BEACH_ENCRYPTION_KEYS, or give \`data.encryption\`.`)
}

function fromBase64(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
