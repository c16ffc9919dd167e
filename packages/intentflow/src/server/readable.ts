import type { Part } from '@cool-ai/beach-core'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import {
  bareEvents,
  nameInWords,
  offeredEvents,
  type Flow,
  type FlowView,
  type OfferedEvent,
} from '../definition/index.ts'
import { errorPayloadSchema, renderPayloadSchema } from '../schemas/index.ts'
import type { FlowInstance } from '../state/index.ts'
import type { FlowRules } from './flow-rules.ts'
import type { LinkTarget, LinkTokens } from './link-token.ts'

export interface ReadableContext {
  readonly rules: FlowRules
  readonly tokens: LinkTokens
  readonly publicUrl?: string | undefined
}

type Viewed = Pick<FlowInstance, 'intentId' | 'version' | 'state' | 'props' | 'context'>

/** An instance as its flow puts it into words; without words of its own, its title and what its props say. */
export function flowText(rules: FlowRules, instanceId: string, instance: Viewed): string {
  const flow = rules.definitionOf(instance)
  const view = viewOf(rules, flow, instanceId, instance)
  const { props, context } = view
  return flow.text?.(view) ?? [flow.meta.title, ...lines({ ...props, ...context }, 0)].join('\n')
}

/** An instance as its flow puts it into words. */
export function viewOf(rules: FlowRules, flow: Flow, instanceId: string, instance: Viewed): FlowView {
  const { state, context } = instance
  const props = rules.propsOf(flow, instance)
  return { instanceId, title: flow.meta.title, state, props, context, events: offeredEvents(flow, instance) }
}

/** Data in words, a line for each value. */
export const dataLines = (data: Readonly<Record<string, unknown>>): string[] => lines(data, 0)

const maxDepth = 3
const maxLines = 40

/** Data as indented lines; what is deep down is left out. */
function lines(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return []
  const indent = '  '.repeat(depth)
  const entries: [string, unknown][] = Array.isArray(value) ? value.map((item) => ['', item]) : Object.entries(value)
  return entries
    .flatMap(([key, item]): string[] => {
      const label = key === '' ? '-' : `${nameInWords(key)}:`
      if (typeof item === 'object' && item !== null) return [`${indent}${label}`, ...lines(item, depth + 1)]
      if (item === null || item === undefined || item === '') return []
      return [`${indent}${label} ${typeof item === 'string' ? item : JSON.stringify(item)}`]
    })
    .slice(0, maxLines)
}

/** A render in words: how the flow stands, what can be answered, and where it can be done. */
export function renderText(part: Part, world: ReadableContext): string | undefined {
  const found = renderIn(part, world)
  if (found === undefined) return undefined
  const { text, events, link } = found
  return [text, howTo(events, link)].filter((paragraph) => paragraph !== '').join('\n\n')
}

/** The same as HTML. */
export function renderHtml(part: Part, world: ReadableContext): string | undefined {
  const found = renderIn(part, world)
  if (found === undefined) return undefined
  const { text, events, link } = found
  const words = `<p style="white-space:pre-wrap">${escapeHtml(text)}</p>`
  const open = link === undefined ? '' : `<p><a href="${escapeHtml(link)}">Open it</a></p>`
  const how = howTo(events)
  return `${words}${how === '' ? '' : `<p>${escapeHtml(how)}</p>`}${open}`
}

function renderIn(part: Part, world: ReadableContext) {
  const parsed = renderPayloadSchema.safeParse(part.data)
  if (!parsed.success) return undefined
  const { instanceId, intentId, version = '', state = '', props, context = {} } = parsed.data
  const instance = { intentId, version, state, props, context }
  try {
    const flow = world.rules.definitionOf(instance)
    const link = linkOf(part, instanceId, world)
    return {
      text: flowText(world.rules, instanceId, instance),
      events: bareEvents(flow, instance),
      ...(link !== undefined && { link }),
    }
  } catch {
    // The flow is not registered any more: there is nothing to be said of it.
    return undefined
  }
}

/** The address at which its holder can continue the instance, where this program can be reached from outside. */
export function linkFor(place: LinkTarget, { tokens, publicUrl }: ReadableContext): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl.replace(/\/+$/, '')}${linkPath(tokens.sign(place))}`
}

function linkOf({ metadata }: Part, instanceId: string, world: ReadableContext): string | undefined {
  const { session, tenant } = metadata
  if (typeof session !== 'string' || typeof tenant !== 'string') return undefined
  return linkFor({ session, tenant, instanceId }, world)
}

/** Where the page of a link is. */
export const linkPath = (token: string): string => `/intentflow/open/${token}`

function howTo(events: readonly OfferedEvent[], link?: string): string {
  const replies = events.map(({ name, label }) => (label === name ? name : `${name} to ${lower(label)}`))
  const open = link === undefined ? '' : `open ${link}`
  if (replies.length === 0) return open === '' ? '' : `To go on, ${open}`
  // To this very message: by it a phone or a mailbox with several conversations knows which one is meant.
  const reply = `Reply to this message with ${replies.join(', ')}`
  return open === '' ? `${reply}.` : `${reply}, or ${open}`
}

function lower(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1)
}

/** An error in words. */
export function errorText({ data }: Part): string | undefined {
  const parsed = errorPayloadSchema.safeParse(data)
  return parsed.success ? parsed.data.message : undefined
}
