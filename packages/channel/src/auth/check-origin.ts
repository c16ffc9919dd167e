import { BeachError } from '@cool-ai/beach-core'
import type { SecretRef } from './secret-source.ts'

/** Refuses to give a secret away to another origin than the one that stands beside it; without one, anywhere is right. */
export function checkOrigin({ peer, origin }: SecretRef, allowed: string | undefined): void {
  if (allowed === undefined) return
  if (URL.canParse(allowed) && new URL(allowed).origin === origin) return
  const message = `The secrets for the peer '${peer}' are not for ${origin}. If its address has changed, change the origin beside them.`
  throw new BeachError('INVALID_CONFIGURATION', message)
}
