export type { ArtifactStore } from '@cool-ai/beach-core'
export type { ArtifactLimits } from './artifacts/admission.ts'
export { artifactLinks, type ArtifactLinker, type ArtifactLinksOptions } from './artifacts/artifact-links.ts'
export { ArtifactUrls, type ArtifactUrlsOptions } from './artifacts/artifact-urls.ts'
export { FileArtifactStore, type FileArtifactStoreOptions } from './artifacts/file-artifact-store.ts'
export { defaultMimeTypes } from './artifacts/media-type.ts'
export { MemoryArtifactStore } from './artifacts/memory-artifact-store.ts'
export { safeName } from './artifacts/safe-name.ts'
export { address, parseAddress, principalAddress, type Address } from './identities/address.ts'
export { Identities, type IdentitiesOptions, type Identity, type SendCode } from './identities/identities.ts'
export type {
  IdentityEvent,
  IdentityStore,
  JoinLimits,
  PendingJoin,
  Person,
  TriedCode,
} from './identities/identity-store.ts'
export { Memories, type MemoriesOptions, type PersonMemory } from './memory/memories.ts'
export type { Memory, MemoryConsent, MemoryLimits } from './memory/memory-state.ts'
export { memoryTools } from './memory/memory-tools.ts'
export { MemoryIdentityStore } from './identities/memory-identity-store.ts'
export { MemoryMissiveStore } from './missives/memory-missive-store.ts'
export { MissiveReader, type MissiveStores } from './missives/missive-reader.ts'
export type {
  AgeQuery,
  Participation,
  MissiveChange,
  MissiveStore,
  ReadPosition,
  StoredQuery,
} from './missives/missive-store.ts'
export { textOf } from './missives/missive-parts.ts'
export type { Correspondent, Missive, MissiveDelivery, MissiveQuery, MissiveState } from './missives/missive.ts'
export { Missives, type MissivesOptions } from './missives/missives.ts'
export { SqliteIdentityStore } from './sqlite/sqlite-identity-store.ts'
export { SqliteMissiveStore } from './sqlite/sqlite-missive-store.ts'
export { missiveTools } from './tools/missive-tools.ts'
export type { KeepArtifact } from './upkeep/collect-artifacts.ts'
export type { ErasableSessions, ErasureRequest, ErasureResult, LogErasure } from './upkeep/erasure.ts'
export type { PersonRecord } from './upkeep/person-data.ts'
export type { RetentionTimes } from './upkeep/retention-times.ts'
export type { RetentionRule } from './upkeep/retention.ts'
export { Upkeep, type UpkeepOptions } from './upkeep/upkeep.ts'
