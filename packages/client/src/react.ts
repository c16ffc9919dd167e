'use client'

export { useBeach, type FlowSource, type UseBeachOptions, type UsedBeach } from './use-beach.ts'
export { useEnvelope, type UsedEnvelope } from './use-envelope.ts'
export type { BeachSnapshot } from './held-conversation.ts'
export type { OwnApproval as UsedApproval } from './view/own-decisions.ts'
