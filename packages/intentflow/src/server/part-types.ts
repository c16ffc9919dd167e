import type { Part, PartTypeDeclaration } from '@cool-ai/beach-core'
import type { PartTypeFunctions, ShownState } from '@cool-ai/beach-core/registries'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import type * as z from 'zod'
import { clientEventNames } from '../schemas/client-payloads.ts'
import { actionPayloadSchema } from '../schemas/action-payload.ts'
import {
  dismissPayloadSchema,
  errorPayloadSchema,
  propsUpdatePayloadSchema,
  renderPayloadSchema,
  transitionPayloadSchema,
  type ServerEvent,
} from '../schemas/server-payloads.ts'
import { statePatchOf } from '../state/operations.ts'
import { errorText, renderHtml, renderText, type ReadableContext } from './readable.ts'

const schemas = {
  'intentflow.render': renderPayloadSchema,
  'intentflow.transition': transitionPayloadSchema,
  'intentflow.props_update': propsUpdatePayloadSchema,
  'intentflow.dismiss': dismissPayloadSchema,
  'intentflow.error': errorPayloadSchema,
  'intentflow.action': actionPayloadSchema,
} as const

type ServerPartType = keyof typeof schemas

type FlowData = { [Type in ServerPartType]: z.infer<(typeof schemas)[Type]> }

declare module '@cool-ai/beach-core' {
  interface PartTypes extends FlowData {
    'intentflow.event': unknown
    'intentflow.action_response': unknown
    'intentflow.dismiss_request': unknown
    'intentflow.invoke': unknown
  }
}

/**
 * The part types of IntentFlow. What servers say reaches streaming listeners; of it only the render is in the envelopes of
 * the others, and has a form that people can read.
 */
export function flowPartTypes(context: ReadableContext): readonly PartTypeDeclaration[] {
  const outbound = (Object.keys(schemas) as ServerPartType[]).map((partType): PartTypeDeclaration => ({
    partType,
    deliveryRules: { streaming: 'once', buffered: partType === 'intentflow.render' ? 'at-settlement' : 'drop' },
    saidBy: 'tools',
    validate: (part) => problemsOf(partType, part),
    statePatch: (part) => statePatchOf({ type: 'CUSTOM', name: partType, value: part.data } as ServerEvent),
    isOver: isDeliveredAlready,
    ...readableForms(partType, context),
  }))
  // What clients post never goes out.
  const inboundOnly = { streaming: 'inbound-only', buffered: 'inbound-only' } as const
  return [...outbound, ...clientEventNames.map((partType) => ({ partType, deliveryRules: inboundOnly }))]
}

/**
 * True for events of flows that have ended, and for those that the client has by the seq that it shows. A client that
 * still has a flow which has ended is told how that came to be, but not to do anything for it.
 */
const isDeliveredAlready: NonNullable<PartTypeFunctions['isOver']> = ({ data, metadata }, shown, had) => {
  const { instanceId, seq } = (data ?? {}) as { readonly instanceId?: string; readonly seq?: number }
  if (instanceId === undefined) return false
  const hadSeq = flowIn(had, instanceId)?.seq
  if (typeof hadSeq === 'number' && seq !== undefined && hadSeq >= seq) return true
  if (flowIn(shown, instanceId) !== undefined) return false
  return hadSeq === undefined || metadata.partType === 'intentflow.action'
}

function flowIn({ activeFlows }: ShownState, instanceId: string): { readonly seq?: unknown } | undefined {
  if (typeof activeFlows !== 'object' || activeFlows === null || !Object.hasOwn(activeFlows, instanceId))
    return undefined
  const flow = (activeFlows as Readonly<Record<string, unknown>>)[instanceId]
  return typeof flow === 'object' && flow !== null ? flow : undefined
}

function readableForms(
  partType: ServerPartType,
  context: ReadableContext,
): Pick<PartTypeFunctions, 'toText' | 'toHtml'> {
  if (partType === 'intentflow.render') {
    return { toText: (part) => renderText(part, context), toHtml: (part) => renderHtml(part, context) }
  }
  if (partType !== 'intentflow.error') return {}
  const html = (part: Part) => {
    const text = errorText(part)
    return text === undefined ? undefined : `<p>${escapeHtml(text)}</p>`
  }
  return { toText: errorText, toHtml: html }
}

function problemsOf(partType: ServerPartType, { data }: Part): string[] {
  const parsed = schemas[partType].safeParse(data)
  if (parsed.success) return []
  return parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    return `The data of a part of type '${partType}' is wrong${path.length === 0 ? '' : ` at ${path.map(String).join('.')}`}: ${message}.`
  })
}
