import type { KeyObject } from 'node:crypto'
import { BeachError, type Artifact, type Clock } from '@cool-ai/beach-core'
import type { ArtifactLink } from '@cool-ai/beach-core/ports'
import { isHmacOf, secretKeys, Tokens, type Secret } from '@cool-ai/beach-core/tokens'
import { isArtifactId } from './artifact-folder.ts'

/** Who signs links to artifacts, and for how long. */
export interface ArtifactUrlsOptions {
  /** The secret of session tokens will do: keys are derived from it for each kind of token. */
  readonly secret: Secret
  readonly clock: Clock
  /** Where others reach the agent, such as `https://agent.example`. Without it links are paths. */
  readonly publicUrl?: string | undefined
}

/** Links to artifacts that are good for one artifact of one tenant until they expire, and for nothing else. */
export class ArtifactUrls {
  readonly #tokens: Tokens
  readonly #keys: readonly KeyObject[]
  readonly #clock: Clock
  readonly #prefix: string

  constructor({ secret, clock, publicUrl }: ArtifactUrlsOptions) {
    this.#tokens = new Tokens({ secret, clock, kind: 'beach-artifact' })
    this.#keys = secretKeys(secret)
    this.#clock = clock
    this.#prefix = publicUrl === undefined ? '' : prefixOf(publicUrl)
  }

  async sign(artifact: Pick<Artifact, 'artifactId' | 'tenant'>, { expiresAt }: { expiresAt: number }): Promise<string> {
    const { artifactId, tenant } = artifact
    if (!isArtifactId(artifactId)) throw new BeachError('BAD_REQUEST', 'This is not the id of an artifact.')
    if (!Number.isSafeInteger(expiresAt) || expiresAt <= 0) {
      throw new BeachError('BAD_REQUEST', 'A link to an artifact expires at a time in whole milliseconds.')
    }
    const token = await this.#tokens.sign({ sub: artifactId, tenant }, { expiresAt })
    return `${this.#prefix}/artifacts/${artifactId}?token=${token}`
  }

  /** Verifies a link; its host and what comes before `/artifacts/` do not matter. */
  async verify(url: string | URL): Promise<ArtifactLink> {
    if (!URL.canParse(String(url), 'http://localhost')) return { status: 'invalid' }
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const artifactId = /\/artifacts\/([^/]+)$/.exec(pathname)?.[1] ?? ''
    if (!isArtifactId(artifactId)) return { status: 'invalid' }
    if (searchParams.has('signature')) return this.#verifyOld(artifactId, searchParams)
    const verified = await this.#tokens.verify(only(searchParams, 'token') ?? '')
    if (verified.status !== 'valid') return verified
    const { sub, tenant, exp = 0 } = verified.claims
    if (sub !== artifactId || typeof tenant !== 'string') return { status: 'invalid' }
    return { status: 'valid', artifactId, tenant, expiresAt: Math.round(exp * 1_000) }
  }

  /** @deprecated Links of the form before JWTs, which may stand in mails and missives. */
  #verifyOld(artifactId: string, parameters: URLSearchParams): ArtifactLink {
    const [expires, tenant, signature] = ['expires', 'tenant', 'signature'].map((name) => only(parameters, name))
    if (expires === undefined || tenant === undefined || signature === undefined) return { status: 'invalid' }
    const text = `beach-artifact-url:${JSON.stringify([artifactId, tenant, expires])}`
    if (!isHmacOf(this.#keys, text, Buffer.from(signature, 'base64url'))) return { status: 'invalid' }
    const expiresAt = Number(expires)
    return expiresAt <= this.#clock.now() ? { status: 'expired' } : { status: 'valid', artifactId, tenant, expiresAt }
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
      `'${publicUrl}' is not an address for links; give one like https://agent.example.`,
    )
  }
  return url.href.replace(/\/+$/, '')
}
