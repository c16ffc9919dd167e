import type { Part } from '@cool-ai/beach-core'

/** The parts, with a link in each artifact part that has none. */
export async function linkedParts(
  parts: readonly Part[],
  linkOf: ((artifactId: string) => Promise<string | undefined>) | undefined,
): Promise<readonly Part[]> {
  if (linkOf === undefined || !parts.some(isArtifact)) return parts
  return Promise.all(
    parts.map(async (part) => {
      if (!isArtifact(part)) return part
      const { data } = part
      if (typeof data !== 'object' || data === null || !('artifactId' in data) || 'url' in data) return part
      const url = await linkOf(String(data.artifactId))
      return url === undefined ? part : { ...part, data: { ...data, url } }
    }),
  )
}

function isArtifact({ metadata }: Part): boolean {
  return metadata.partType === 'artifact'
}
