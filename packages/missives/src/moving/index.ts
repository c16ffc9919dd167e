export type { IdentityRecord } from './identity-records.ts'
export { readSqliteIdentities, SqliteIdentities } from './sqlite-identities.ts'
