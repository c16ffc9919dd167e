import type { Authentication } from '@cool-ai/beach-core/ports'
import type { RequiredAuth } from './required-credential.ts'

/** True when this auth lets a caller in: by the credential that it came with. Guests have none. */
export function fits({ principal, credential }: Authentication, { type, header }: RequiredAuth): boolean {
  if (principal.kind === 'anonymous' || credential.type !== type) return false
  return header === undefined || credential.header?.toLowerCase() === header.toLowerCase()
}
