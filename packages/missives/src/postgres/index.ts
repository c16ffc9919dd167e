export { openPostgresMissives, type PostgresMissives, type PostgresMissivesOptions } from './open-postgres-missives.ts'
export {
  hasNoPostgresIdentities,
  readPostgresIdentities,
  writePostgresIdentities,
} from '../moving/postgres-identities.ts'
export { artifactTables } from './artifact-tables.ts'
export { identityTables } from './identity-tables.ts'
export { missiveTables } from './missive-tables.ts'
export { PostgresArtifactStore, type PostgresArtifactStoreOptions } from './postgres-artifact-store.ts'
export { PostgresIdentityStore, type PostgresIdentityStoreOptions } from './postgres-identity-store.ts'
export { PostgresMissiveStore, type PostgresMissiveStoreOptions } from './postgres-missive-store.ts'
