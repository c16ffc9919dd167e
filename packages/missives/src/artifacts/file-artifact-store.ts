import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BeachError, systemRuntime, type Artifact, type ArtifactStore, type Runtime } from '@cool-ai/beach-core'
import type { ArtifactAbout, ArtifactContent, ArtifactQuery, Page, StoredArtifact } from '@cool-ai/beach-core/ports'
import { parseAbout } from './about.ts'
import { Admission, checkedRange, isListed, listLimit, type ArtifactLimits } from './admission.ts'
import { ArtifactFolder, fileNames, ifThere, isArtifactId, onDisk, syncFolder } from './artifact-folder.ts'
import { discardDraft, discardLeftovers, working } from './discard-draft.ts'
import { fileStream, writeFile } from './file-stream.ts'
import { pieces } from './pieces.ts'
import { share } from './shared-bytes.ts'
import { Sniffer } from './sniff.ts'

// Enough to make a full disk show.
const probeCharacters = 32_000

/** The folder and limits of a store of artifacts. */
export interface FileArtifactStoreOptions extends ArtifactLimits {
  readonly folder: string
  readonly runtime?: Runtime | undefined
}

/**
 * Artifacts in a folder of one machine. Each is made as a draft and appears by one rename, so a crash leaves it whole
 * or not at all; the same bytes are on the disk once, however many artifacts have them.
 */
export class FileArtifactStore implements ArtifactStore {
  readonly #folder: ArtifactFolder
  readonly #runtime: Runtime
  readonly #admission: Admission

  /** Opens the folder, making it when it is missing, and removes what a crash left unfinished. */
  static async open(options: FileArtifactStoreOptions): Promise<FileArtifactStore> {
    const runtime = options.runtime ?? systemRuntime()
    const admission = new Admission(runtime, options)
    try {
      const folder = ArtifactFolder.open(options.folder, runtime.logger)
      const left = await discardLeftovers(folder)
      if (left > 0) runtime.logger.log('info', 'removed artifacts that were not finished', { count: left })
      return new FileArtifactStore(folder, runtime, admission)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `The folder of artifacts ${options.folder} cannot be used: ${reason}`
      throw new BeachError('INVALID_CONFIGURATION', message, { cause })
    }
  }

  private constructor(folder: ArtifactFolder, runtime: Runtime, admission: Admission) {
    this.#folder = folder
    this.#runtime = runtime
    this.#admission = admission
  }

  async put(content: ArtifactContent, about: ArtifactAbout, signal?: AbortSignal): Promise<Artifact> {
    const admitted = this.#admission.admit(about)
    const draft = this.#folder.draft(admitted.artifactId)
    const done = working(draft)
    try {
      await onDisk(() => mkdir(draft, { mode: 0o700 }))
      const sniffer = new Sniffer()
      const bytes = sniffer.passing(pieces(content, this.#admission.maxBytes, signal))
      const written = await writeFile(join(draft, fileNames.content), bytes)
      const artifact: Artifact = { ...admitted, mimeType: sniffer.type(admitted.mimeType), ...written }
      await writeFile(join(draft, fileNames.about), textPieces(JSON.stringify(artifact)))
      await this.#share(draft, artifact)
      await onDisk(() => this.#publish(draft, artifact))
      return artifact
    } catch (error) {
      await this.#discard(draft)
      throw error
    } finally {
      done()
    }
  }

  async get(artifactId: string, tenant: string): Promise<StoredArtifact | undefined> {
    const artifact = await this.#find(artifactId, tenant)
    if (artifact === undefined) return undefined
    const path = join(this.#folder.home(artifactId), fileNames.content)
    return { artifact, open: (range) => fileStream(path, checkedRange(range, artifact.sizeBytes)) }
  }

  async delete(artifactId: string, tenant: string): Promise<boolean> {
    if ((await this.#find(artifactId, tenant)) === undefined) return false
    const draft = this.#folder.draft(artifactId)
    const done = working(draft)
    try {
      // From here on it is gone; a crash before the rest is done leaves a draft, which the next start removes.
      const moved = await onDisk(() => ifThere(rename(this.#folder.home(artifactId), draft).then(() => true)))
      if (moved === undefined) return false
      await onDisk(() => syncFolder(this.#folder.kept))
      await this.#discard(draft)
      return true
    } finally {
      done()
    }
  }

  async list(query: ArtifactQuery = {}): Promise<Page<Artifact>> {
    const limit = listLimit(query)
    const names = (await onDisk(() => readdir(this.#folder.kept))).filter(isArtifactId).toSorted()
    const items: Artifact[] = []
    for (const name of names) {
      if (name <= (query.after ?? '')) continue
      // One that is deleted meanwhile is not there any more.
      const text = await onDisk(() => ifThere(readFile(join(this.#folder.home(name), fileNames.about), 'utf8')))
      const artifact = parseAbout(text)
      if (artifact?.artifactId !== name || !isListed(artifact, query)) continue
      const last = items.at(-1)
      if (items.length === limit && last !== undefined) return { items, next: last.artifactId }
      items.push(artifact)
    }
    return { items }
  }

  async check(): Promise<void> {
    const probe = join(this.#folder.drafts, `${process.pid}.${this.#runtime.id('probe')}`)
    try {
      await writeFile(probe, textPieces('x'.repeat(probeCharacters)))
      await onDisk(() => stat(this.#folder.kept))
    } finally {
      await onDisk(() => rm(probe, { force: true }))
    }
  }

  async #find(artifactId: string, tenant: string): Promise<Artifact | undefined> {
    if (!isArtifactId(artifactId)) return undefined
    const home = this.#folder.home(artifactId)
    const text = await onDisk(() => ifThere(readFile(join(home, fileNames.about), 'utf8')))
    if (text === undefined) return undefined
    const artifact = parseAbout(text)
    const file = await onDisk(() => ifThere(stat(join(home, fileNames.content))))
    if (artifact?.artifactId !== artifactId || file?.size !== artifact.sizeBytes) {
      this.#runtime.logger.log('error', 'an artifact on the disk is damaged', { artifactId })
      return undefined
    }
    return artifact.tenant === tenant ? artifact : undefined
  }

  /** Sharing saves space and nothing else: where it fails, the artifact keeps bytes of its own. */
  async #share(draft: string, { artifactId, sha256 }: Artifact): Promise<void> {
    try {
      await share(draft, this.#folder.shared(sha256))
    } catch (error) {
      this.#runtime.logger.log('warn', 'the bytes of an artifact could not be shared', { artifactId, error })
    }
  }

  async #publish(draft: string, { artifactId }: Artifact): Promise<void> {
    await syncFolder(draft)
    await rename(draft, this.#folder.home(artifactId))
    await syncFolder(this.#folder.kept)
  }

  async #discard(draft: string): Promise<void> {
    try {
      await discardDraft(this.#folder, draft)
    } catch (error) {
      this.#runtime.logger.log('warn', 'a draft could not be removed; the next start will', { error })
    }
  }
}

async function* textPieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
