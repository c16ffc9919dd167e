import { readFile } from 'node:fs/promises'
import { BeachError } from '@cool-ai/beach-core'
import type { PeerListing } from './peer.ts'
import { checkedListings, invalidListings } from './peer-listing.ts'

/** What an `agents.json` holds, as `AgentRegistry` takes it. */
export interface LoadedAgents {
  readonly peers: readonly PeerListing[]
}

/** The peers in an `agents.json`, given as a path, a file URL, or what was parsed: `{ "peers": [{ "url": "https://…" }] }`. */
export async function loadAgents(source: string | URL | object): Promise<LoadedAgents> {
  const value = typeof source === 'string' || source instanceof URL ? await readJson(source) : source
  const { peers, $schema: _, ...others } = (value ?? {}) as Readonly<Record<string, unknown>>
  const unknown = Object.keys(others)
  if (Array.isArray(value) || peers === undefined) {
    throw invalidListings(['peers is missing. Give { "peers": [{ "url": "https://…" }] }.'])
  }
  if (unknown.length > 0) throw invalidListings([`${unknown.join(', ')} is not known in agents.json. Known is peers.`])
  const secrets = secretsIn(peers, 'peers')
  if (secrets.length > 0) throw invalidListings(secrets)
  return { peers: checkedListings(peers) }
}

async function readJson(path: string | URL): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BeachError('INVALID_CONFIGURATION', `${String(path)} cannot be read. Check its path.`, { cause })
  })
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BeachError('INVALID_CONFIGURATION', `${String(path)} is not JSON. Check it with an editor.`, { cause })
  }
}

const secretName =
  /^(?:client[-_]?secret|secret|password|passphrase|(?:api|private)[-_]?key|(?:access[-_]?)?token|bearer)$/i
/** The members of a JSON Web Key that make it a private or a shared one. */
const privateMembers = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])

/** Looks like a secret: this file is read by many, and kept in repositories. */
function secretsIn(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isKey = 'kty' in value
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${place}.${name}`
    if (isKey && privateMembers.has(name)) return [`${at} makes this a private key. Give the public one.`]
    if (secretName.test(name)) return [`${at} looks like a secret. Leave it out, and name it by credentials.`]
    // A card is published: its content is not checked for secrets.
    return name === 'card' ? [] : secretsIn(member, at)
  })
}
