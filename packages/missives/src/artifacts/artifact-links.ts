import { systemClock, type ArtifactStore, type Clock, type Principal } from '@cool-ai/beach-core'
import { ArtifactUrls, type ArtifactUrlsOptions } from './artifact-urls.ts'

/** Where links to artifacts lead, and who signs them. */
export interface ArtifactLinksOptions extends Omit<ArtifactUrlsOptions, 'clock'> {
  readonly artifacts: ArtifactStore
  readonly clock?: Clock | undefined
  /** For how long a link is good; a day when left out. */
  readonly expiresInMs?: number | undefined
}

/** A link to an artifact for viewers of a session; undefined when there is no such artifact for them. */
export type ArtifactLinker = (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>

const dayMs = 24 * 60 * 60 * 1_000

/**
 * Links for viewers of a session, to the artifacts of that session and to those of none; the `artifactLink` of
 * channels. Without `publicUrl` they are paths, which are of no use in a mail or on a phone.
 */
export function artifactLinks(options: ArtifactLinksOptions): ArtifactLinker {
  const { artifacts, clock = systemClock, expiresInMs = dayMs } = options
  const urls = new ArtifactUrls({ ...options, clock })
  return async (artifactId, session, { tenant }) => {
    const artifact = (await artifacts.get(artifactId, tenant))?.artifact
    const isForeign = artifact?.session !== undefined && artifact.session !== session
    if (artifact === undefined || isForeign) return undefined
    return urls.sign(artifact, { expiresAt: clock.now() + expiresInMs })
  }
}
