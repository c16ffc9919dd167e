import type { Frame, Part, Principal } from '@cool-ai/beach-core'
import { frameBatch, principalKey, type FrameBatch } from '@cool-ai/beach-core/ports'

// Links are added to artifact parts on their way out: they expire, so they are never in the log.

/** A link by which a listener can fetch an artifact; undefined when it may not. */
export type LinkOf = (artifactId: string) => Promise<string | undefined>

/** A link to an artifact of a session, for viewers of that session. */
export type ArtifactLink = (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>

/** The parts, with a link in each artifact part that has none. */
export async function linkedParts(parts: readonly Part[], linkOf: LinkOf | undefined): Promise<readonly Part[]> {
  if (linkOf === undefined || !parts.some(needsLink)) return parts
  return Promise.all(parts.map((part) => linkedPart(part, linkOf)))
}

/** The same for frames as they come. */
export function withLinks(frames: AsyncIterator<Frame>, linkOf: LinkOf): AsyncIterator<Frame> {
  return {
    next: () =>
      frames.next().then((result) => {
        if (result.done === true || !needsLinks(result.value)) return result
        return linkedFrame(result.value, linkOf).then((value) => ({ done: false as const, value }))
      }),
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
    if (!batch.some((frame) => frame.kind === 'part' && needsLink(frame.part))) return batch
    const key = `${principal.tenant}~${principalKey(principal)}`
    const byPrincipal = this.#linked.get(batch) ?? new Map<string, Promise<FrameBatch>>()
    this.#linked.set(batch, byPrincipal)
    const known = byPrincipal.get(key)
    if (known !== undefined) return known
    const linkOf = (artifactId: string) => this.#artifactLink(artifactId, session, principal)
    const adding = Promise.all(batch.map((frame) => linkedFrame(frame, linkOf))).then(frameBatch)
    byPrincipal.set(key, adding)
    return adding
  }
}

function needsLinks(frame: Frame): boolean {
  return frame.kind === 'part' && needsLink(frame.part)
}

/** The frame, with a link in its artifact part if that has none. */
export async function linkedFrame(frame: Frame, linkOf: LinkOf): Promise<Frame> {
  return frame.kind === 'part' && needsLink(frame.part)
    ? { ...frame, part: await linkedPart(frame.part, linkOf) }
    : frame
}

async function linkedPart(part: Part, linkOf: LinkOf): Promise<Part> {
  if (!needsLink(part)) return part
  const url = await linkOf(String(part.data.artifactId))
  return url === undefined ? part : { ...part, data: { ...part.data, url } }
}

function needsLink(part: Part): part is Part & { readonly data: { readonly artifactId: unknown } } {
  const { data, metadata } = part
  if (metadata.partType !== 'artifact' || typeof data !== 'object' || data === null) return false
  return 'artifactId' in data && !('url' in data)
}
