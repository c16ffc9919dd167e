import type { Frame } from '@cool-ai/beach-core'

/** A link by which a listener can fetch an artifact; undefined when it may not. */
export type LinkOf = (artifactId: string) => Promise<string | undefined>

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

async function linked(frame: Frame, linkOf: LinkOf): Promise<Frame> {
  if (frame.kind !== 'part' || frame.part.metadata.partType !== 'artifact') return frame
  const { data } = frame.part
  if (typeof data !== 'object' || data === null || !('artifactId' in data) || 'url' in data) return frame
  const url = await linkOf(String(data.artifactId))
  return url === undefined ? frame : { ...frame, part: { ...frame.part, data: { ...data, url } } }
}
