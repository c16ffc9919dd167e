import type { BeachError } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from './beach-extension.ts'
import type { AgentCardJson } from './card-json.ts'
import { cardError, problem } from './card-problems.ts'
import { cardVersion, isReadableVersion, versionPattern } from './card-versions.ts'

// What the names of the Beach extension begin with, in all its versions.
const family = BEACH_EXTENSION_URI.replace(/\d+$/, '')

/** Refuses a card whose version, at this place, is of another major one. */
export function checkVersion(path: string, version: unknown): void {
  if (typeof version === 'string' && !isReadableVersion(version)) throw incompatible(path, `is ${version}`)
}

/** Where the Beach extension stands among these; -1 when it is not there. One in another major version is refused. */
export function beachExtensionAt(uris: readonly string[]): number {
  const exact = uris.indexOf(BEACH_EXTENSION_URI)
  const index = exact === -1 ? uris.findIndex(isReadableUri) : exact
  const other = index === -1 ? uris.find((uri) => uri.startsWith(family)) : undefined
  if (other !== undefined) throw incompatible('capabilities.extensions', `has the Beach extension as ${other}`)
  return index
}

function isReadableUri(uri: string): boolean {
  const version = uri.startsWith(family) ? uri.slice(family.length) : ''
  return versionPattern.test(version) && isReadableVersion(version)
}

/** Refuses a card of A2A 0.3, which would be read as one without interfaces. */
export function checkA2aVersion(json: AgentCardJson): void {
  if ('supportedInterfaces' in json || typeof json.url !== 'string') return
  const fix = 'Ask for it with the header A2A-Version: 1.0.'
  throw cardError('BAD_REQUEST', [problem([], 'is an A2A 0.3 card, which has url instead of supportedInterfaces', fix)])
}

function incompatible(path: string, what: string): BeachError {
  const known = `${cardVersion.split('.')[0]}.x`
  const fix = `Ask for a card of version ${known}, or update @cool-ai/beach-protocol.`
  return cardError('BAD_REQUEST', [problem([path], `${what}, but only ${known} can be read here`, fix)])
}
