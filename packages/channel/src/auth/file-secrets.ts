import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'
import { readPrivateFile } from './private-file.ts'
import { checkOrigin, type SecretSource } from './secret-source.ts'

const secretsOfPeer = z
  .object({ origin: z.string().exactOptional() })
  .catchall(z.union([z.string(), z.record(z.string(), z.unknown())]))
const contents = z.record(z.string(), secretsOfPeer)

/**
 * Secrets from a JSON file that only its owner can read: an object of peers by id, each with its secrets by auth type,
 * `{ "travel": { "origin": "https://travel.example", "api-key": "…" } }`. It is read whenever a secret is needed anew.
 */
export function fileSecrets(path: string): SecretSource {
  return async (ref) => {
    const peers = parse(await readPrivateFile(path), path)
    const { origin, ...secrets } = peers[ref.peer] ?? {}
    const secret = Object.hasOwn(secrets, ref.type) ? secrets[ref.type] : undefined
    if (secret !== undefined) checkOrigin(ref, origin)
    return secret
  }
}

// The parser's errors quote what they could not read, so none of them is passed on.
function parse(text: string, path: string): z.infer<typeof contents> {
  const { success, data } = contents.safeParse(parseJson(text))
  if (success) return data
  const message = `The file of secrets ${path} is not JSON of the form { "<peer>": { "<auth type>": … } }.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
