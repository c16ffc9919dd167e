import { createLogger, type Logger, type Part } from '@cool-ai/beach-core'
import { peerOf } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { approvalAction, maxContextLength } from './a2ui-action.ts'
import { a2uiMessages, readA2uiMessages, surfaceIds } from './a2ui-messages.ts'
import { approvalSurfacePrefix } from './approval-surface.ts'
import { DomainData } from './domain-data.ts'
import type { MergeLimits } from './merge-budget.ts'
import type { PartTypeLookup } from './parse-part.ts'
import { isPeerSurface } from './peer-words.ts'
import { declaredActions } from './surface-actions.ts'
import { surfaceTemplates, type SurfaceTemplateRegistry } from './surface-templates.ts'

/** What surfaces are made and checked with. */
export interface SurfaceOptions {
  readonly templates?: SurfaceTemplateRegistry | undefined
  readonly logger?: Logger | undefined
  /** How large and deep the merged data may be. */
  readonly mergeLimits?: MergeLimits | undefined
  /** Refuses a context whose `limits` are of something else, such as those of sessions. */
  readonly limits?: never
  /** The part types by whose rules surfaces must be right; those of templates are not looked at when it is left out. */
  readonly partTypes?: Pick<PartTypeLookup, 'get'> | undefined
  /** Told of a template's surface that is left out because it is not right. */
  readonly onDropped?: ((dropped: DroppedSurface) => void) | undefined
}

/** A template's surface that no listener gets. */
export interface DroppedSurface {
  readonly partType: string
  /** The kind of the data that it was made of. */
  readonly kind?: string
  readonly problems: readonly string[]
}

/** The surfaces that templates make of the domain data among the parts, one per slot and one per kind outside slots. */
export function dataSurfaces(parts: readonly Part[], options: SurfaceOptions): Part[] {
  if (!parts.some(isDomainData)) return []
  const groups = new Map<string, Part[]>()
  for (const part of parts) {
    if (!isDomainData(part)) continue
    const { slotKey, kind = '' } = part.metadata
    const group = slotKey === undefined ? `kind ${kind}` : `slot ${slotKey}`
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [part])
    else members.push(part)
  }
  // What the actor or a peer shows itself is not shown a second time by a template.
  const shown = shownSurfaces(parts)
  for (const { metadata } of parts.filter(isPeerSurface)) groups.delete(`slot ${metadata.slotKey}`)
  return [...groups.values()]
    .flatMap((group) => whole(group, options.mergeLimits))
    .flatMap((part) => surfaceOf(part, options))
    .filter((surface) => !surfaceIds(a2uiMessages(surface.data)).some((id) => shown.has(id)))
}

function isDomainData({ metadata }: Part): boolean {
  return metadata.partType === 'domain-data'
}

/** The surface of one part, if there is a template for it. A template that fails costs the surface, not the answer. */
export function surfaceOf(part: Part, options: SurfaceOptions = {}): Part[] {
  const { templates = surfaceTemplates } = options
  try {
    const surface = templates.surfaceFor(part)
    return surface === undefined || isDropped(surface, part, options) ? [] : [surface]
  } catch (error) {
    const logger = options.logger ?? createLogger()
    logger.log('error', 'A surface template failed; its surface is left out.', { kind: part.metadata.kind, error })
    return []
  }
}

/** A template that makes something wrong costs the surface, too; the data is delivered all the same. */
function isDropped(surface: Part, { metadata: { kind } }: Part, options: SurfaceOptions): boolean {
  const { partType } = surface.metadata
  const problems = options.partTypes?.get(partType)?.validate?.(surface) ?? []
  if (problems.length === 0) return false
  const logger = options.logger ?? createLogger()
  logger.log('error', 'A surface template made what is not a valid surface; it is left out.', { kind, problems })
  options.onDropped?.({ partType, ...defined({ kind }), problems })
  return true
}

function whole(group: readonly Part[], limits: MergeLimits | undefined): Part[] {
  if (group.length === 1) return [...group]
  const data = new DomainData(limits)
  for (const part of group) data.add(part)
  return data.parts()
}

/** The ids of the surfaces that these parts show. */
export function shownSurfaces(parts: readonly Part[]): Set<string> {
  const surfaces = parts.filter((part) => part.metadata.partType === 'a2ui-surface')
  return new Set(surfaces.flatMap((part) => surfaceIds(readA2uiMessages(part.data) ?? [])))
}

/** The prefix of the ids of peers' surfaces; no other surface may have such an id. */
export const peerSurfacePrefix = 'peer:'

const maxActions = 500
const maxActionsLength = 64_000

/**
 * What no surface of an actor's or a peer's may do: look like the surface of an approval, or decide one; have an id among
 * those of peers, or as a peer's one among those of the agent. Also what it may not be too large for, since its actions
 * are remembered for as long as they can be pressed.
 */
export function surfaceProblems(part: Part): string[] {
  if (part.metadata.partType !== 'a2ui-surface') return []
  // What is wrong with one that cannot be read is for the type's own rules to say.
  const messages = readA2uiMessages(part.data) ?? []
  const ids = surfaceIds(messages)
  const claimed = ids.filter((id) => id.startsWith(approvalSurfacePrefix))
  const isPeers = peerOf(part) !== undefined
  const misplaced = ids.filter((id) => id.startsWith(peerSurfacePrefix) !== isPeers)
  const actions = messages.flatMap((message) => declaredActions(message))
  return [
    ...claimed.map((id) => {
      return `The surface id '${id}' is reserved: ids that begin with '${approvalSurfacePrefix}' are made for approvals by the system. Use another id.`
    }),
    ...misplaced.map((id) => {
      return isPeers
        ? `The surface id '${id}' is not one of a peer's: those begin with '${peerSurfacePrefix}' here.`
        : `The surface id '${id}' is reserved: ids that begin with '${peerSurfacePrefix}' are for surfaces of other agents. Use another id.`
    }),
    ...(actions.some(({ name }) => name === approvalAction)
      ? [
          `The action '${approvalAction}' is reserved: approvals are asked for by the system, when a tool needs one. Use another name.`,
        ]
      : []),
    ...(actions.length > maxActions
      ? [`A surface may declare ${maxActions} actions; this one has ${actions.length}.`]
      : []),
    ...actions
      .filter(({ fixed }) => JSON.stringify(fixed).length > maxContextLength)
      .map(
        ({ componentId }) =>
          `The context of the action of '${componentId}' is longer than ${maxContextLength} characters.`,
      ),
    ...(JSON.stringify(actions).length > maxActionsLength
      ? [
          `The actions of this surface are longer than ${maxActionsLength} characters together. Give ids, not whole things.`,
        ]
      : []),
  ]
}
