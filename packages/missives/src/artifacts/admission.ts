import { BeachError, type Artifact, type Runtime } from '@cool-ai/beach-core'
import type { ArtifactAbout, ArtifactQuery, ByteRange } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { isArtifactId } from './artifact-folder.ts'
import { defaultMimeTypes, mimeTypeList, parseMimeType } from './media-type.ts'
import { safeName } from './safe-name.ts'

const defaultPageSize = 500
const maxPageSize = 1_000

/** The limits of an artifact. */
export interface ArtifactLimits {
  /** 25 MB when left out. */
  readonly maxBytes?: number | undefined
  /** Media types, or like `audio/*` all of a kind; `defaultMimeTypes` when left out. */
  readonly mimeTypes?: readonly string[] | undefined
}

/** Decides, before a byte is read, whether an artifact is accepted, and under which name, type and id. */
export class Admission {
  readonly maxBytes: number
  readonly #runtime: Runtime
  readonly #listed: (essence: string) => boolean

  constructor(runtime: Runtime, limits: ArtifactLimits = {}) {
    const { maxBytes = 25 * 1024 * 1024, mimeTypes = defaultMimeTypes } = limits
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        `maxBytes of artifacts cannot be ${maxBytes}. Give a whole number of bytes.`,
      )
    }
    this.maxBytes = maxBytes
    this.#runtime = runtime
    this.#listed = mimeTypeList(mimeTypes)
  }

  admit({ name, mimeType: declared, tenant, session }: ArtifactAbout) {
    const { essence, mimeType } = parseMimeType(declared)
    if (!this.#listed(essence)) {
      throw new BeachError('UNSUPPORTED_MEDIA_TYPE', `Artifacts of type ${essence} are not kept here.`)
    }
    for (const owner of [tenant, ...(session === undefined ? [] : [session])]) {
      if (!/^.{1,200}$/s.test(owner) || !owner.isWellFormed()) {
        throw new BeachError('BAD_REQUEST', 'The tenant and session of an artifact take 1 to 200 characters.')
      }
    }
    const artifactId = this.#runtime.id('art')
    if (!isArtifactId(artifactId)) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        "The runtime's ids cannot name artifacts: they need 16 to 64 of a-z, 0-9.",
      )
    }
    const createdAt = this.#runtime.clock.now()
    return defined({ artifactId, name: safeName(name), mimeType, createdAt, tenant, session })
  }
}

/** The range, or all of it; an error when there are no such bytes. */
export function checkedRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > sizeBytes) {
    throw new BeachError('BAD_REQUEST', `Of ${sizeBytes} bytes there is no range from ${start} to ${end}.`)
  }
  return { start, end }
}

/** The size of a page. */
export function listLimit({ limit = defaultPageSize, tenant, session }: ArtifactQuery): number {
  if (session !== undefined && tenant === undefined) {
    throw new BeachError('BAD_REQUEST', 'To list the artifacts of a session, say of which tenant it is.')
  }
  return Math.min(Math.max(Math.trunc(limit), 1), maxPageSize)
}

export function isListed(artifact: Artifact, { tenant, session }: ArtifactQuery): boolean {
  return (tenant ?? artifact.tenant) === artifact.tenant && (session ?? artifact.session) === artifact.session
}
