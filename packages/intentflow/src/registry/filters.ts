import { checkPermissions, type FlowUser } from '../definition/permissions.ts'
import type { DisplayMode } from '../schemas/server-payloads.ts'
import type { RegisteredFlow } from './flow-registry.ts'

/** Which flows are wanted; all that is named must hold. */
export interface FlowFilter {
  readonly category?: string
  readonly displayMode?: DisplayMode
  /** Only those that do, or do not, need a signed-in user. */
  readonly requiresAuth?: boolean
  /** Only those that this person may use. */
  readonly allowedFor?: FlowUser
  /** Only those that can be meant while these flows are open. */
  readonly activeFlows?: readonly string[]
}

/** True when a flow is one of those that are wanted. */
export function passes(entry: RegisteredFlow, filter: FlowFilter): boolean {
  const { flow } = entry
  const { category, displayMode, requiresAuth, allowedFor, activeFlows } = filter
  if (category !== undefined && flow.meta.category !== category) return false
  if (displayMode !== undefined && flow.meta.displayMode !== displayMode) return false
  if (requiresAuth !== undefined && requiresAuth !== needsAuth(entry)) return false
  if (allowedFor !== undefined && !checkPermissions(flow, allowedFor).allowed) return false
  return activeFlows === undefined || fitsContext(entry, activeFlows)
}

function needsAuth({ flow: { permissions } }: RegisteredFlow): boolean {
  return permissions.auth === true || (permissions.roles?.length ?? 0) + (permissions.scopes?.length ?? 0) > 0
}

/** True when an intent can be meant while these flows are open. */
export function fitsContext({ intent }: RegisteredFlow, activeFlows: readonly string[]): boolean {
  const required = intent?.contextRequires?.activeFlow
  return required === undefined || [required].flat().some((intentId) => activeFlows.includes(intentId))
}
