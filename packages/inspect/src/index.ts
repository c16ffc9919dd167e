export { openInspector, type Inspector } from './inspector.ts'
export type { InspectOptions, InspectorParts } from './options.ts'
export { redacted } from './redact.ts'
export { sessionSummary } from './listing/session-summary.ts'
