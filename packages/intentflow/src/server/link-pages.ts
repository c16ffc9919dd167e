import { isBeachError, type Principal } from '@cool-ai/beach-core'
import { offeredEvents } from '../definition/offered-events.ts'
import { FlowError, isFlowError } from '../schemas/flow-error.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import { endings, type LinkTarget, flowText, linkPath, type ReadableContext } from './readable.ts'
import { fieldsOf, filledPayload, type EventField } from './event-fields.ts'
import type { FlowGateway } from './flow-gateway.ts'
import type { EndedInstance } from './flows-state.ts'
import type { FlowAnswer } from './handle-client-request.ts'
import { escapeHtml } from '@cool-ai/beach-core/runtime'

export interface LinkContext extends ReadableContext {
  readonly gateway: FlowGateway
}

const maxBodyBytes = 64 * 1024

export async function linkAnswer(request: Request, context: LinkContext): Promise<Response> {
  const token = new URL(request.url).pathname.slice(linkPath('').length)
  const place = context.tokens.read(token)
  if (place === undefined) return linkPageResponse(unknownPage, 404)
  try {
    if (request.method === 'GET' || request.method === 'HEAD') return linkPageResponse(await pageOf(place, context))
    if (request.method === 'POST') return await act(request, place, token, context)
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD, POST' } })
  } catch (error) {
    if (isBeachError(error, 'NOT_FOUND')) return linkPageResponse(unknownPage, 404)
    if (!isFlowError(error)) throw error
    return linkPageResponse({ ...(await pageOf(place, context)), notice: error.message }, error.status)
  }
}

const unknownPage: LinkPage = {
  title: 'There is nothing here',
  text: '',
  notice: 'This link is not valid, or what it led to is gone.',
}

/** The bearer of a link acts for the owner of the session; the session is found as an operator finds it. */
function finder({ tenant }: LinkTarget): Principal {
  return { kind: 'operator', id: 'intentflow-link', tenant }
}

async function pageOf(place: LinkTarget, context: LinkContext): Promise<LinkPage> {
  const look = await context.gateway.look(place.session, finder(place))
  const { instanceId } = place
  const instance = Object.hasOwn(look.flows, instanceId) ? look.flows[instanceId] : undefined
  const ended = look.ended.findLast((one) => one.instanceId === instanceId)
  if (instance === undefined) return ended === undefined ? unknownPage : endedPage(ended, context)
  const flow = context.rules.knownDefinitionOf(instance)
  if (flow === undefined) return unknownPage
  return {
    title: flow.meta.title,
    text: flowText(context.rules, instanceId, instance),
    ...(look.busy.includes(instanceId) ? { isBusy: true } : { forms: formsOf(instance, context) }),
  }
}

function endedPage({ intentId, version, reason }: EndedInstance, { rules }: LinkContext): LinkPage {
  const title = rules.find(intentId, version)?.flow.meta.title ?? 'This is over'
  return { title, text: '', notice: endings[reason] }
}

/** A form for each event that can be sent now, and one to put the flow away. Sent twice, a form is the same event. */
function formsOf(instance: FlowInstance, { rules }: LinkContext): LinkForm[] {
  const flow = rules.definitionOf(instance)
  const hidden = (event: string) => ({ event, seq: String(instance.seq) })
  const forms = offeredEvents(flow, instance).map(({ name, label }): LinkForm => {
    return { label, hidden: hidden(name), fields: fieldsOf(instance, name, rules) }
  })
  if (!instance.dismissable && !flow.machine.isFinal(instance.state)) return forms
  return [...forms, { label: 'Dismiss', hidden: hidden(dismissal), fields: [], isQuiet: true }]
}

// No event of a flow can have this name: it has a space.
const dismissal = ' dismiss'

/** Does what a form says, as the owner of the session, and shows how things stand then. */
async function act(request: Request, place: LinkTarget, token: string, context: LinkContext): Promise<Response> {
  const form = await formIn(request)
  const { instanceId } = place
  const event = form.get('event')
  const seq = Number(form.get('seq'))
  if (event === null || !Number.isSafeInteger(seq) || seq < 0) throw new FlowError('INVALID_PAYLOAD')
  const instance = (await context.gateway.look(place.session, finder(place))).flows[instanceId]
  const value = {
    v: 1,
    // The same for the same form, so that sending it twice does it once.
    eventId: `link.${instanceId}.${seq}.${event.trim()}`.slice(0, 128),
    instanceId,
    expectedSeq: seq,
    ...(event === dismissal ? { reason: 'user_cancelled' } : { event, ...payloadIn(form, instance, event, context) }),
  }
  const name = event === dismissal ? 'intentflow.dismiss_request' : 'intentflow.event'
  const asOwner = { kind: 'owner', said: { events: [{ type: 'CUSTOM', name, value }] } } as const
  const { answer } = await context.gateway.own(place.session, asOwner, finder(place))
  const [result] = (answer as FlowAnswer).results
  if (result?.status === 'rejected') throw new FlowError(result.error.code, result.error.message)
  // Next to this very page, wherever the agent is served.
  return new Response(null, { status: 303, headers: { location: token, 'cache-control': 'no-store' } })
}

function payloadIn(form: URLSearchParams, instance: FlowInstance | undefined, event: string, { rules }: LinkContext) {
  const fields = fieldsOf(instance, event, rules)
  if (fields.length === 0) return {}
  return { payload: filledPayload(fields, (name) => form.get(fieldName(name)) ?? undefined) }
}

async function formIn(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') throw new FlowError('INVALID_MESSAGE')
  const reader = request.body?.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) break
    size += next.value.byteLength
    if (size > maxBodyBytes) {
      await reader?.cancel()
      throw new FlowError('INVALID_PAYLOAD', 'That is too much for a form.')
    }
    pieces.push(next.value)
  }
  const form = new URLSearchParams(Buffer.concat(pieces).toString())
  if (new Set(form.keys()).size !== form.size)
    throw new FlowError('INVALID_PAYLOAD', 'A field of this form came twice.')
  return form
}

/** What a link's page shows: how the flow stands, and what can be done about it. */
interface LinkPage {
  readonly title: string
  readonly text: string
  /** What went wrong, or why there is nothing to do. */
  readonly notice?: string
  /** True while something of it is being worked on: the page is fetched again by itself. */
  readonly isBusy?: boolean
  readonly forms?: readonly LinkForm[]
}

/** One thing that can be done: a form that sends one event. */
interface LinkForm {
  readonly label: string
  /** Sent with it, out of sight. */
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly EventField[]
  readonly isQuiet?: boolean
}

const fieldName = (name: string): string => `p.${name}`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Not `no-referrer`: browsers would send the forms as from nowhere, and those are refused.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** The page as a response: no scripts, nothing from elsewhere, in no frame. */
function linkPageResponse(page: LinkPage, status = 200): Response {
  return new Response(linkPageHtml(page), { status, headers })
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f6f6f4;color:#1c1c1c}' +
  'main{max-width:34rem;margin:0 auto;padding:1.5rem}h1{font-size:1.4rem}' +
  'pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;background:#fff;padding:1rem;border-radius:.5rem}' +
  '.notice{border-left:4px solid #b3541e;background:#fff;padding:.75rem 1rem}' +
  'form{background:#fff;padding:1rem;border-radius:.5rem;margin:1rem 0}label{display:block;margin:.5rem 0}' +
  'input:not([type=checkbox]),select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}' +
  'small{color:#555}button{font:inherit;padding:.6rem 1.2rem;border-radius:.5rem;border:1px solid #1d4f91;' +
  'background:#1d4f91;color:#fff}button.quiet{background:#fff;color:#1d4f91}'

function linkPageHtml({ title, text, notice, isBusy, forms = [] }: LinkPage): string {
  const busy = isBusy === true ? '<meta http-equiv="refresh" content="3">' : ''
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width, initial-scale=1">${busy}` +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>` +
    (notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`) +
    (text === '' ? '' : `<pre>${escapeHtml(text)}</pre>`) +
    (isBusy === true ? '<p role="status">We are working on it. This page looks again in a moment.</p>' : '') +
    `${forms.map(formHtml).join('')}</main></body></html>`
  )
}

function formHtml({ label, hidden, fields, isQuiet }: LinkForm): string {
  const kept = Object.entries(hidden).map(([name, value]) => {
    return `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  })
  const button = `<button type="submit"${isQuiet === true ? ' class="quiet"' : ''}>${escapeHtml(label)}</button>`
  return `<form method="post">${kept.join('')}${fields.map(fieldHtml).join('')}${button}</form>`
}

function fieldHtml(field: EventField): string {
  const { label, description } = field
  const help = description === undefined ? '' : `<small>${escapeHtml(description)}</small>`
  const control = controlHtml(field)
  const text = `${escapeHtml(label)}${field.required ? '' : ' (optional)'}`
  return `<label>${field.kind === 'boolean' ? `${control} ${text}` : `${text}${control}`}${help}</label>`
}

function controlHtml({ name, kind, required, choices = [] }: EventField): string {
  const attributes = `name="${escapeHtml(fieldName(name))}"${required && kind !== 'boolean' ? ' required' : ''}`
  switch (kind) {
    case 'number':
      return `<input type="number" step="any" ${attributes}>`
    case 'integer':
      return `<input type="number" step="1" ${attributes}>`
    case 'boolean':
      return `<input type="checkbox" ${attributes}>`
    case 'choice': {
      const none = required ? [] : ['<option value=""></option>']
      const options = choices.map((choice) => `<option>${escapeHtml(String(choice))}</option>`)
      return `<select ${attributes}>${[...none, ...options].join('')}</select>`
    }
    case 'json':
      return `<textarea rows="4" ${attributes}></textarea>`
    default:
      return `<input type="text" ${attributes}>`
  }
}
