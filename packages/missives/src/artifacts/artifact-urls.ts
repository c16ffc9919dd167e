import { createHmac, timingSafeEqual } from 'node:crypto'
import { BeachError, type Artifact, type Clock } from '@cool-ai/beach-core'
import type { ArtifactLink } from '@cool-ai/beach-core/ports'
import { isArtifactId } from './artifact-folder.ts'

export interface ArtifactUrlsOptions {
  /** At least 32 bytes; what is signed says what it is for, so the secret of session tokens will do. */
  readonly secret: Uint8Array
  readonly clock: Clock
  /** Where others reach the agent, such as `https://agent.example`. Without it links are paths. */
  readonly publicUrl?: string | undefined
}

/** Links to artifacts that are good for one artifact of one tenant until they expire, and for nothing else. */
export class ArtifactUrls {
  readonly #secret: Uint8Array
  readonly #clock: Clock
  readonly #prefix: string

  constructor(options: ArtifactUrlsOptions) {
    if (options.secret.byteLength < 32) {
      throw new BeachError('INVALID_CONFIGURATION', 'The secret that signs links to artifacts needs at least 32 bytes.')
    }
    this.#secret = options.secret
    this.#clock = options.clock
    this.#prefix = options.publicUrl === undefined ? '' : prefixOf(options.publicUrl)
  }

  sign(artifact: Pick<Artifact, 'artifactId' | 'tenant'>, { expiresAt }: { expiresAt: number }): string {
    const { artifactId, tenant } = artifact
    if (!isArtifactId(artifactId)) throw new BeachError('BAD_REQUEST', 'This is not the id of an artifact.')
    if (!Number.isSafeInteger(expiresAt) || expiresAt <= 0) {
      throw new BeachError('BAD_REQUEST', 'A link to an artifact expires at a time in whole milliseconds.')
    }
    const signature = this.#signature(artifactId, tenant, String(expiresAt))
    const query = `expires=${expiresAt}&tenant=${encodeURIComponent(tenant)}&signature=${signature}`
    return `${this.#prefix}/artifacts/${artifactId}?${query}`
  }

  /** What a link is; its host and what comes before `/artifacts/` do not matter. */
  verify(url: string | URL): ArtifactLink {
    if (!URL.canParse(String(url), 'http://localhost')) return { status: 'invalid' }
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const artifactId = /\/artifacts\/([^/]+)$/.exec(pathname)?.[1] ?? ''
    const [expires, tenant, signature] = ['expires', 'tenant', 'signature'].map((name) => only(searchParams, name))
    if (!isArtifactId(artifactId) || expires === undefined || tenant === undefined || signature === undefined) {
      return { status: 'invalid' }
    }
    const given = Buffer.from(signature)
    const expected = Buffer.from(this.#signature(artifactId, tenant, expires))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { status: 'invalid' }
    const expiresAt = Number(expires)
    if (expiresAt <= this.#clock.now()) return { status: 'expired' }
    return { status: 'valid', artifactId, tenant, expiresAt }
  }

  /** As a list in JSON, no two links are the same text; the words before it keep it apart from all else we sign. */
  #signature(artifactId: string, tenant: string, expires: string): string {
    const text = `beach-artifact-url:${JSON.stringify([artifactId, tenant, expires])}`
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }
}

/** The parameter's value, if it is there exactly once. */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  return others.length === 0 ? value : undefined
}

function prefixOf(publicUrl: string): string {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@]/.test(publicUrl)
  if (!plain) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `'${publicUrl}' is no address for links; give one like https://agent.example.`,
    )
  }
  return url.href.replace(/\/+$/, '')
}
