import type { Authentication } from '@cool-ai/beach-core/ports'
import type { WantedAuth } from './wanted-credential.ts'

/** True when this auth lets a caller in: by the credential that it came with. Guests are nobody. */
export function fits({ principal, credential }: Authentication, { type, header }: WantedAuth): boolean {
  if (principal.kind === 'anonymous' || credential.type !== type) return false
  return header === undefined || credential.header?.toLowerCase() === header.toLowerCase()
}
