import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'
import { givenSettings, type AuthMethod } from './auth-method.ts'
import { CachedCredentials } from './cached-credentials.ts'
import { parseFingerprint } from './fingerprint.ts'
import { mtlsAuth, type KnownCertificate } from './mtls-auth.ts'
import { SentCredentials } from './peer-credentials.ts'

const clientTls = z.object({
  cert: z.string().includes('-----BEGIN CERTIFICATE-----'),
  key: z.string().includes('-----BEGIN '),
  ca: z.string().exactOptional(),
})

/** A client certificate; a card's fingerprints are those of the certificates that callers may have. */
export const mtlsMethod: AuthMethod = {
  id: 'mtls',
  authenticator({ fingerprints: inCard = [] }, { settings, clock }) {
    const { fingerprints = [], listed, certificateOf } = givenSettings('mtls', settings)
    const known = new Set(fingerprints.map(({ fingerprint }) => hex(fingerprint)))
    const others = inCard.map(hex).filter((fingerprint) => !known.has(fingerprint))
    const strangers: KnownCertificate[] =
      listed === undefined ? [] : others.map((fingerprint) => ({ ...listed, id: `cert:${fingerprint}`, fingerprint }))
    const from = certificateOf === undefined ? {} : { certificateOf }
    return mtlsAuth({ fingerprints: [...fingerprints, ...strangers], clock, ...from })
  },
  credentials: (_auth, { peer, secret, clock }) =>
    new CachedCredentials(async () => {
      const { success, data } = clientTls.safeParse(await secret())
      if (success) return { sent: new SentCredentials({ tls: data }) }
      const message = `The certificate for the peer '${peer}' is not right: it takes cert and key, both as PEM.`
      throw new BeachError('INVALID_CONFIGURATION', message)
    }, clock),
}

function hex(fingerprint: string): string {
  return parseFingerprint(fingerprint).toString('hex')
}
