import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'

const made = new Map<string, KeyPairKeyObjectResult>()

/** The RSA keys of a service or a domain: the same for all that stand in for it in this process, since making them takes a while. */
export function keysOf(name: string): KeyPairKeyObjectResult {
  const keys = made.get(name) ?? generateKeyPairSync('rsa', { modulusLength: 2_048 })
  made.set(name, keys)
  return keys
}
