import type { Frame, Principal } from '@cool-ai/beach-core'
import { frameBatch, principalKey, type FrameBatch } from '@cool-ai/beach-core/ports'

/** A link by which a listener can fetch an artifact; undefined when it may not. */
export type LinkOf = (artifactId: string) => Promise<string | undefined>

/** A link to an artifact of a session, for viewers of that session. */
export type ArtifactLink = (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>

/** Adds a link to artifact parts on their way out: links expire, so they are never in the log. */
export function withLinks(frames: AsyncIterator<Frame>, linkOf: LinkOf): AsyncIterator<Frame> {
  return {
    async next() {
      const result = await frames.next()
      return result.done === true ? result : { done: false, value: await linked(result.value, linkOf) }
    },
    return: () => frames.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  }
}

/** Links for batches that many listeners share: listeners of one principal share the batch with links too. */
export class SharedLinks {
  readonly #artifactLink: ArtifactLink
  readonly #linked = new WeakMap<FrameBatch, Map<string, Promise<FrameBatch>>>()

  constructor(artifactLink: ArtifactLink) {
    this.#artifactLink = artifactLink
  }

  /** The batch with links; the same one, at once, when nothing in it needs a link. */
  add(batch: FrameBatch, session: string, principal: Principal): FrameBatch | Promise<FrameBatch> {
    if (!batch.some((frame) => artifactOf(frame) !== undefined)) return batch
    const key = `${principal.tenant}~${principalKey(principal)}`
    const byPrincipal = this.#linked.get(batch) ?? new Map<string, Promise<FrameBatch>>()
    this.#linked.set(batch, byPrincipal)
    const known = byPrincipal.get(key)
    if (known !== undefined) return known
    const linkOf = (artifactId: string) => this.#artifactLink(artifactId, session, principal)
    const adding = Promise.all(batch.map((frame) => linked(frame, linkOf))).then(frameBatch)
    byPrincipal.set(key, adding)
    return adding
  }
}

async function linked(frame: Frame, linkOf: LinkOf): Promise<Frame> {
  const artifact = artifactOf(frame)
  if (artifact === undefined) return frame
  const { part, data } = artifact
  const url = await linkOf(String(data.artifactId))
  return url === undefined ? frame : { ...artifact.frame, part: { ...part, data: { ...data, url } } }
}

/** What a frame has of an artifact that has no link yet. */
function artifactOf(frame: Frame) {
  if (frame.kind !== 'part' || frame.part.metadata.partType !== 'artifact') return undefined
  const { part } = frame
  const { data } = part
  if (typeof data !== 'object' || data === null || !('artifactId' in data) || 'url' in data) return undefined
  return { frame, part, data }
}
