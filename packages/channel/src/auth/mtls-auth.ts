import { X509Certificate } from 'node:crypto'
import { BeachError, systemClock, type Authenticator, type Clock } from '@cool-ai/beach-core'
import { notesOf } from '../http/request-source.ts'
import { findByDigest, sha256 } from './find-by-digest.ts'
import { parseFingerprint, readFingerprint } from './fingerprint.ts'
import { toPrincipal, type KnownCaller } from './known-caller.ts'

/** A certificate that lets its holder in. */
export interface KnownCertificate extends KnownCaller {
  /** The certificate's SHA-256 fingerprint. */
  readonly fingerprint: string
}

/** The certificate that a caller has proved to hold, as DER or as its SHA-256 fingerprint; undefined when none. */
export type CertificateOf = (request: Request) => Uint8Array | string | undefined

/** Which certificates are known, and where a request's certificate is found. */
export interface MtlsAuthOptions {
  readonly fingerprints: readonly KnownCertificate[]
  /** Where certificates come from; the connection that `serve` took the request from when left out. */
  readonly certificateOf?: CertificateOf | undefined
  readonly clock?: Clock | undefined
}

/** What the agent knows of callers with certificates. */
export interface MtlsSettings {
  readonly fingerprints?: readonly KnownCertificate[] | undefined
  /** Who the holders of certificates are that only the card lists: each is its own caller of this tenant. */
  readonly listed?: Omit<KnownCaller, 'id'> | undefined
  readonly certificateOf?: CertificateOf | undefined
}

/**
 * Callers by their client certificate. Those listed are trusted by themselves: the connection has proved that the
 * caller holds the key, and who signed the certificate does not matter.
 */
export function mtlsAuth(options: MtlsAuthOptions): Authenticator {
  const { certificateOf = tlsCertificate, clock = systemClock } = options
  const known = options.fingerprints.map((one) => ({
    digest: parseFingerprint(one.fingerprint),
    principal: toPrincipal(one),
  }))
  return async (request) => {
    const certificate = certificateOf(request)
    if (certificate === undefined) return undefined
    const digest =
      typeof certificate === 'string' ? readFingerprint(certificate) : validDigest(certificate, clock.now())
    const found = digest === undefined ? undefined : findByDigest(known, digest)
    if (found === undefined) throw new BeachError('UNAUTHENTICATED', 'This client certificate is not known here.')
    return { principal: found.principal, credential: { type: 'mtls' } }
  }
}

/** The digest of a certificate that can be read; one that is not valid today is refused in any case. */
function validDigest(der: Uint8Array, now: number): Buffer | undefined {
  const certificate = read(der)
  if (certificate === undefined) return undefined
  if (now < certificate.validFromDate.getTime() || now > certificate.validToDate.getTime()) {
    throw new BeachError('UNAUTHENTICATED', 'This client certificate has expired, or is not valid yet.')
  }
  return sha256(certificate.raw)
}

function read(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}

/** The client certificate of the connection that a request came by, where the server noted it. */
export function tlsCertificate(request: Request): Uint8Array | undefined {
  return notesOf(request).certificate?.()
}
