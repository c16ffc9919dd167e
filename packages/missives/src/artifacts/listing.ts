import { BeachError, type Artifact } from '@cool-ai/beach-core'
import type { ArtifactQuery } from '@cool-ai/beach-core/ports'

const defaultPageSize = 500
const maxPageSize = 1_000

/** How many of a page are wanted. */
export function listLimit({ limit = defaultPageSize, tenant, session }: ArtifactQuery): number {
  if (session !== undefined && tenant === undefined) {
    throw new BeachError('BAD_REQUEST', 'To list the artifacts of a session, say of which tenant it is.')
  }
  return Math.min(Math.max(Math.trunc(limit), 1), maxPageSize)
}

export function isListed(artifact: Artifact, { tenant, session }: ArtifactQuery): boolean {
  return (tenant ?? artifact.tenant) === artifact.tenant && (session ?? artifact.session) === artifact.session
}
