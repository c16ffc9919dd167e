import type { Part } from '@cool-ai/beach-core'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { bareEvents, nameInWords, offeredEvents, type OfferedEvent } from '../definition/offered-events.ts'
import type { Flow, FlowView } from '../definition/flow.ts'
import { errorPayloadSchema, renderPayloadSchema, type DismissReason } from '../schemas/server-payloads.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import type { FlowRules } from './flow-rules.ts'
import { hmacOf, isHmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import type { Values } from '../schemas/json-problem.ts'

export interface ReadableContext {
  readonly rules: FlowRules
  readonly tokens: ReturnType<typeof linkTokens>
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

export function viewOf(rules: FlowRules, flow: Flow, instanceId: string, instance: Viewed): FlowView {
  const { state, context } = instance
  const props = rules.propsOf(flow, instance)
  return { instanceId, title: flow.meta.title, state, props, context, events: offeredEvents(flow, instance) }
}

export const dataLines = (data: Values): string[] => lines(data, 0)

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
export function renderText(part: Part, readableContext: ReadableContext): string | undefined {
  const found = renderIn(part, readableContext)
  if (found === undefined) return undefined
  const { text, events, link } = found
  return [text, howTo(events, link)].filter((paragraph) => paragraph !== '').join('\n\n')
}

export function renderHtml(part: Part, readableContext: ReadableContext): string | undefined {
  const found = renderIn(part, readableContext)
  if (found === undefined) return undefined
  const { text, events, link } = found
  const words = `<p style="white-space:pre-wrap">${escapeHtml(text)}</p>`
  const open = link === undefined ? '' : `<p><a href="${escapeHtml(link)}">Open it</a></p>`
  const how = howTo(events)
  return `${words}${how === '' ? '' : `<p>${escapeHtml(how)}</p>`}${open}`
}

function renderIn(part: Part, readableContext: ReadableContext) {
  const parsed = renderPayloadSchema.safeParse(part.data)
  if (!parsed.success) return undefined
  const { instanceId, intentId, version = '', state = '', props, context = {} } = parsed.data
  const instance = { intentId, version, state, props, context }
  try {
    const flow = readableContext.rules.definitionOf(instance)
    const { session, tenant } = part.metadata
    const hasPlace = typeof session === 'string' && typeof tenant === 'string'
    return {
      text: flowText(readableContext.rules, instanceId, instance),
      events: bareEvents(flow, instance),
      link: hasPlace ? linkFor({ session, tenant, instanceId }, readableContext) : undefined,
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

export function errorText({ data }: Part): string | undefined {
  const parsed = errorPayloadSchema.safeParse(data)
  return parsed.success ? parsed.data.message : undefined
}

export const endings: Readonly<Record<DismissReason, string>> = {
  completed: 'This is done. There is nothing more to do here.',
  cancelled: 'This was cancelled.',
  replaced: 'This was replaced by something newer.',
  timeout: 'The time for this has run out.',
  error: 'This could not be completed.',
}

export interface LinkTarget {
  readonly session: string
  readonly tenant: string
  readonly instanceId: string
}

/**
 * Signs and reads the tokens of links: the holder of one may act on that one instance, as the owner of its session. Not
 * JWTs: the readable form of a part, where links stand, is made without waiting, and jose signs asynchronously.
 */
export function linkTokens(secret: Secret) {
  const keys = secretKeys(secret)
  const signed = (body: string) => `intentflow-open:${body}`
  return {
    sign({ session, tenant, instanceId }: LinkTarget): string {
      const body = Buffer.from(JSON.stringify([session, tenant, instanceId])).toString('base64url')
      return `${body}.${hmacOf(keys[0], signed(body)).toString('base64url')}`
    },
    /** Undefined when this program has not signed it. */
    read(token: string): LinkTarget | undefined {
      const [body, signature, ...rest] = token.split('.')
      if (body === undefined || signature === undefined || rest.length > 0) return undefined
      if (!isHmacOf(keys, signed(body), Buffer.from(signature, 'base64url'))) return undefined
      const [session, tenant, instanceId] = JSON.parse(Buffer.from(body, 'base64url').toString()) as string[]
      if (session === undefined || tenant === undefined || instanceId === undefined) return undefined
      return { session, tenant, instanceId }
    },
  }
}
