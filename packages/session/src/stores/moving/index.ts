export { firstPlace, type SeqsOf, type SessionPlace, type SessionRecord } from './session-records.ts'
export { readSqliteSessions, SqliteSessions } from './sqlite-sessions.ts'
