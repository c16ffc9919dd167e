import { environmentSecrets } from './environment-secrets.ts'
import { fileSecrets } from './file-secrets.ts'
import type { SecretSource } from './secret-source.ts'

/** The default source: environment variables, then the file that `BEACH_PEER_SECRETS_FILE` names. */
export function peerSecrets(environment: Readonly<Record<string, string | undefined>> = process.env): SecretSource {
  const file = environment.BEACH_PEER_SECRETS_FILE
  const sources = [environmentSecrets(environment), ...(file ? [fileSecrets(file)] : [])]
  return async (ref) => {
    for (const source of sources) {
      const secret = await source(ref)
      if (secret !== undefined) return secret
    }
    return undefined
  }
}
