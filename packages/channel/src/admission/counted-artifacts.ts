import type { ArtifactStore } from '@cool-ai/beach-core'

/**
 * A store of files that counts what is put there. `count` is called with 0 before, and throws where nothing more may be
 * kept; how large a file is is known once it has been put.
 */
export function countedArtifacts(store: ArtifactStore, count: (tenant: string, bytes: number) => void): ArtifactStore {
  return {
    async put(content, about, signal) {
      count(about.tenant, 0)
      const kept = await store.put(content, about, signal)
      count(about.tenant, kept.sizeBytes)
      return kept
    },
    get: (artifactId, tenant) => store.get(artifactId, tenant),
    delete: (artifactId, tenant) => store.delete(artifactId, tenant),
    list: (query) => store.list(query),
    ...(store.discardLeftovers && {
      discardLeftovers: async (before) => (await store.discardLeftovers?.(before)) ?? 0,
    }),
    ...(store.check && { check: async () => store.check?.() }),
    ...(store.close && { close: async () => store.close?.() }),
  }
}
