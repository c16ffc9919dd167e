import type { MainKeys, TenantKeys } from '@cool-ai/beach-core/encryption'
import type { MissiveCodec } from '../missives/missive-codec.ts'
import { plainWords } from '../missives/missive-parts.ts'

const textMark = 's:'
// That of a tenant's key is followed by the tenant, a slash, the key's id and a dot.
const tenantTextMark = 't:'
// No compressed body begins with one of them. That of a tenant's key is followed by the key's id and a dot.
const bytesMark = 0x07
const tenantBytesMark = 0x0f
const nonceBytes = 12

/**
 * Missives whose bodies, correspondents and deliveries are encrypted, by the key of their tenant where it has its own.
 * Addresses and words stand as fingerprints by a key of the data, in no order, so whole words are found, and beginnings of
 * words are not.
 */
export function sealedMissives(tenants: TenantKeys): MissiveCodec {
  const { main } = tenants
  const ofData = codecOf(main, main)
  const known = new WeakMap<MainKeys, MissiveCodec>([[main, ofData]])
  const forTenant = async (tenant: string) => {
    const keys = await tenants.of(tenant)
    const codec = known.get(keys) ?? codecOf(main, keys, tenant)
    known.set(keys, codec)
    return codec
  }
  return {
    ...ofData,
    forTenant,
    async openAnyText(written) {
      if (!written.startsWith(tenantTextMark)) return ofData.openText(written)
      const tenant = written.slice(tenantTextMark.length, written.indexOf('/'))
      return (await forTenant(decodeURIComponent(tenant))).openText(written)
    },
  }
}

function codecOf(main: MainKeys, keys: MainKeys, tenant = ''): MissiveCodec {
  const sealing = main.sealing('missives')
  const own = keys.current === main.current ? undefined : keys
  const [nonces, names, wordPrints] = ['nonces', 'names', 'words'].map((kind) => main.fingerprints(`missive ${kind}`))
  const tenantNonces = own?.fingerprints('missive nonces')
  const printed = (print: typeof names, text: string) => print?.(text).toString('hex') ?? ''
  const words = (text: string) => plainWords(text).map((word) => printed(wordPrints, word).slice(0, 16))
  // A nonce that follows from the text: equal texts are equal, and no nonce is used for two texts.
  const nonceOf = (print: typeof nonces, text: string) => print?.(text).subarray(0, nonceBytes)
  const idEnd = `${keys.current}.`
  return {
    id: Number.parseInt(printed(names, 'id').slice(0, 6), 16) || 1,
    text(text) {
      if (own === undefined) {
        return textMark + sealing.seal(text, ['missive text'], nonceOf(nonces, text)).toString('base64url')
      }
      const sealed = own.sealing('missives').seal(text, ['missive text'], nonceOf(tenantNonces, text))
      return `${tenantTextMark}${encodeURIComponent(tenant)}/${idEnd}${sealed.toString('base64url')}`
    },
    openText(written) {
      if (written.startsWith(tenantTextMark)) {
        return keys.open('missives', written.slice(written.indexOf('/') + 1), ['missive text']).toString()
      }
      if (!written.startsWith(textMark)) return written
      return sealing.open(Buffer.from(written.slice(textMark.length), 'base64url'), ['missive text']).toString()
    },
    bytes(bytes, session) {
      if (own === undefined) {
        return Buffer.concat([Buffer.from([bytesMark]), sealing.seal(bytes, ['missive', session])])
      }
      const sealed = own.sealing('missives').seal(bytes, ['missive', session])
      return Buffer.concat([Buffer.from([tenantBytesMark]), Buffer.from(idEnd), sealed])
    },
    openBytes(written, session) {
      if (written[0] === tenantBytesMark) {
        const rest = Buffer.from(written.buffer, written.byteOffset + 1, written.byteLength - 1)
        const end = rest.indexOf('.')
        const id = rest.toString('latin1', 0, end)
        return keys.sealing('missives', id).open(rest.subarray(end + 1), ['missive', session])
      }
      if (written[0] !== bytesMark) return written
      return sealing.open(written.subarray(1), ['missive', session])
    },
    name: (name) => printed(names, name).slice(0, 32),
    indexed: (text) => [...new Set(words(text))].toSorted().join(' '),
    words,
    findsBeginnings: false,
  }
}
