import { createHash } from 'node:crypto'
import { systemRuntime, type Artifact, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import type { ArtifactAbout, ArtifactContent, ArtifactQuery, Page, StoredArtifact } from '@cool-ai/beach-core/ports'
import { Admission, checkedRange, isListed, listLimit, type ArtifactLimits } from './admission.ts'
import { pieces } from './pieces.ts'
import { sniffedBytes, sniffedType } from './sniff.ts'

/** Artifacts that end with the process; for tests and first tries. */
export class MemoryArtifactStore implements ArtifactStore {
  readonly #admission: Admission
  readonly #kept = new Map<string, { artifact: Artifact; bytes: Uint8Array }>()

  constructor(options: ArtifactLimits & { readonly runtime?: Runtime } = {}) {
    this.#admission = new Admission(options.runtime ?? systemRuntime(), options)
  }

  async put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact> {
    const admitted = this.#admission.admit(about)
    const bytes = Buffer.concat(await Array.fromAsync(pieces(content, this.#admission.maxBytes, signal)))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const mimeType = sniffedType(admitted.mimeType, bytes.subarray(0, sniffedBytes))
    const artifact: Artifact = { ...admitted, mimeType, sizeBytes: bytes.byteLength, sha256 }
    this.#kept.set(artifact.artifactId, { artifact, bytes })
    return artifact
  }

  async get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined> {
    const found = this.#kept.get(artifactId)
    if (found?.artifact.tenant !== tenant) return undefined
    const { artifact, bytes } = found
    return {
      artifact,
      open(range) {
        const { start, end } = checkedRange(range, bytes.byteLength)
        return new Blob([bytes.slice(start, end)]).stream()
      },
    }
  }

  async delete(artifactId: string, tenant: string): Promise<boolean> {
    return this.#kept.get(artifactId)?.artifact.tenant === tenant && this.#kept.delete(artifactId)
  }

  async list(query: ArtifactQuery = {}): Promise<Page<Artifact>> {
    const limit = listLimit(query)
    const found = [...this.#kept.values()]
      .map(({ artifact }) => artifact)
      .filter((artifact) => isListed(artifact, query) && artifact.artifactId > (query.after ?? ''))
      .toSorted((one, other) => (one.artifactId < other.artifactId ? -1 : 1))
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return found.length > limit && last !== undefined ? { items, next: last.artifactId } : { items }
  }
}
