import type { BeachError } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from './beach-extension.ts'
import type { AgentCardJson } from './card-json.ts'
import { cardError, problem } from './card-problems.ts'
import { cardVersion, isReadableVersion } from './card-versions.ts'

/** Refuses a card whose version, at this place, is of another major one. */
export function checkVersion(path: string, version: unknown): void {
  if (typeof version === 'string' && !isReadableVersion(version)) throw incompatible(path, `is ${version}`)
}

/** Refuses a card that has the Beach extension in another major version only. */
export function checkExtensionUris(uris: readonly string[]): void {
  const family = BEACH_EXTENSION_URI.replace(/\d+$/, '')
  const other = uris.find((uri) => uri.startsWith(family) && uri !== BEACH_EXTENSION_URI)
  if (other !== undefined) throw incompatible('capabilities.extensions', `has the Beach extension as ${other}`)
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
