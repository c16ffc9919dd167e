import { X509Certificate } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import { findByDigest, sha256 } from './find-by-digest.ts'
import { readFingerprint } from './fingerprint.ts'
import { headerName } from './header-name.ts'
import type { CertificateOf } from './mtls-auth.ts'

/** The header in which a proxy passes on the client's certificate. */
export interface ProxyCertificateOptions {
  /** The header in which the proxy gives the client's certificate or its SHA-256 fingerprint. */
  readonly header: string
  /**
   * How the agent recognises that a request comes from the proxy. Fingerprints are public: without this, a caller that
   * reaches the agent past the proxy could name any.
   */
  readonly proof: { readonly header: string; readonly secret: string }
}

const minSecretLength = 24

/**
 * The client certificate as a proxy that ends TLS gives it: a fingerprint, `:base64:` as in RFC 9440, PEM with its
 * special characters escaped, or plain base64. The proxy must overwrite the header, also when there is no certificate.
 */
export function proxyCertificate({ header, proof }: ProxyCertificateOptions): CertificateOf {
  const name = headerName(header)
  const proofName = headerName(proof.header)
  if (proof.secret.length < minSecretLength) {
    const message = `The secret that the proxy sends in '${proof.header}' needs at least ${minSecretLength} characters.`
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  const proxies = [{ digest: sha256(proof.secret) }]
  return (request) => {
    const given = request.headers.get(name)
    if (given === null || given === '') return undefined
    if (findByDigest(proxies, sha256(request.headers.get(proofName) ?? '')) === undefined) {
      throw new BeachError('UNAUTHENTICATED', `The header '${header}' counts only when our proxy sends it.`)
    }
    return readFingerprint(given) === undefined ? toDer(given) : given
  }
}

function toDer(given: string): Uint8Array {
  try {
    const text = given.includes('%') ? decodeURIComponent(given) : given
    const isPem = text.includes('-----BEGIN CERTIFICATE-----')
    // Where a proxy gives the whole chain, the client's own comes first.
    const [first = ''] = text.replaceAll(':', '').split(',')
    return new X509Certificate(isPem ? text : Buffer.from(first, 'base64')).raw
  } catch {
    throw new BeachError('UNAUTHENTICATED', 'The client certificate that the proxy gave cannot be read.')
  }
}
