import { readFile } from 'node:fs/promises'
import { BeachError } from '@cool-ai/beach-core'
import { readPrivateFile } from './private-file.ts'
import { checkOrigin, type PeerSecret, type SecretSource } from './secret-source.ts'
import { failureName } from './unavailable.ts'

type Environment = Readonly<Record<string, string | undefined>>

// Other ids have no variable of their own: `a-b` and `a_b` would share one, and one peer could get another's secret.
const idPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/**
 * Secrets from environment variables, `BEACH_PEER_` and the peer's id in capitals before each:
 * `_API_KEY`; `_CLIENT_ID`, `_CLIENT_SECRET` and `_TOKEN_ENDPOINT`, or `_ACCESS_TOKEN`; `_TLS_CERT_FILE`,
 * `_TLS_KEY_FILE` and `_TLS_CA_FILE`. `_ORIGIN` says where they may be sent.
 */
export function environmentSecrets(environment: Environment = process.env): SecretSource {
  return async (ref) => {
    if (!idPattern.test(ref.peer)) return undefined
    const prefix = `BEACH_PEER_${ref.peer.toUpperCase().replaceAll('-', '_')}`
    const secret = await secretOf(ref.type, (name) => environment[`${prefix}_${name}`] || undefined)
    if (secret !== undefined) checkOrigin(ref, environment[`${prefix}_ORIGIN`] || undefined)
    return secret
  }
}

type Variable = (name: string) => string | undefined

async function secretOf(type: string, variable: Variable): Promise<PeerSecret | undefined> {
  switch (type) {
    case 'api-key':
      return variable('API_KEY')
    case 'oauth2':
      return variable('ACCESS_TOKEN') ?? clientSecret(variable)
    case 'mtls':
      return clientTls(variable)
    default:
      return undefined
  }
}

function clientSecret(variable: Variable): PeerSecret | undefined {
  const clientId = variable('CLIENT_ID')
  const secret = variable('CLIENT_SECRET')
  const tokenEndpoint = variable('TOKEN_ENDPOINT')
  if (clientId === undefined || secret === undefined) return undefined
  return { clientId, clientSecret: secret, tokenEndpoint }
}

async function clientTls(variable: Variable): Promise<PeerSecret | undefined> {
  const certFile = variable('TLS_CERT_FILE')
  const keyFile = variable('TLS_KEY_FILE')
  const caFile = variable('TLS_CA_FILE')
  if (certFile === undefined || keyFile === undefined) return undefined
  const [cert, key, ca] = await Promise.all([
    readPublicFile(certFile),
    readPrivateFile(keyFile),
    caFile === undefined ? undefined : readPublicFile(caFile),
  ])
  return { cert, key, ca }
}

async function readPublicFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new BeachError('INVALID_CONFIGURATION', `The certificate ${path} cannot be read (${failureName(error)}).`)
  })
}
