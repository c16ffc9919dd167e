export { auditedTenants } from './audit-chain.ts'
export type { AuditEntry } from './audit-entry.ts'
export { AuditLog, type ShownEntry } from './audit-log.ts'
export { verifyAudit, type AuditProblem, type VerifiedAudit } from './verify-audit.ts'
