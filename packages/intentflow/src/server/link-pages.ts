import { isBeachError, type Principal } from '@cool-ai/beach-core'
import { offeredEvents } from '../definition/index.ts'
import { FlowError, isFlowError } from '../schemas/index.ts'
import type { FlowInstance } from '../state/index.ts'
import { endings } from './endings.ts'
import { eventFields, filledPayload } from './event-fields.ts'
import type { FlowGateway } from './flow-gateway.ts'
import type { EndedInstance } from './flows-state.ts'
import { fieldName, linkPageResponse, type LinkForm, type LinkPage } from './link-page.ts'
import type { LinkTarget } from './link-token.ts'
import { flowText, linkPath, type ReadableContext } from './readable.ts'
import type { FlowsView } from './take-own-input.ts'

export interface LinkContext extends ReadableContext {
  readonly gateway: FlowGateway
}

const maxBodyBytes = 64 * 1024

/** The page of a link, or what came of a form of it. */
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
  if (instance === undefined)
    return endedPage(
      look.ended.findLast((one) => one.instanceId === instanceId),
      context,
    )
  const flow = context.rules.knownDefinitionOf(instance)
  if (flow === undefined) return unknownPage
  return {
    title: flow.meta.title,
    text: flowText(context.rules, instanceId, instance),
    ...(isBusy(look, instanceId) ? { isBusy: true } : { forms: formsOf(instanceId, instance, context) }),
  }
}

function isBusy({ busy }: FlowsView, instanceId: string): boolean {
  return busy.includes(instanceId)
}

function endedPage(ended: EndedInstance | undefined, { rules }: LinkContext): LinkPage {
  if (ended === undefined) return unknownPage
  try {
    return {
      title: rules.registered(ended.intentId, ended.version).flow.meta.title,
      text: '',
      notice: endings[ended.reason],
    }
  } catch {
    return { title: 'This is over', text: '', notice: endings[ended.reason] }
  }
}

/** A form for each event that can be sent now, and one to put the flow away. Sent twice, a form is the same event. */
function formsOf(instanceId: string, instance: FlowInstance, { rules }: LinkContext): LinkForm[] {
  const flow = rules.definitionOf(instance)
  const hidden = (event: string) => ({ event, seq: String(instance.seq) })
  const forms = offeredEvents(flow, instance).map(({ name, label }): LinkForm => {
    return { label, hidden: hidden(name), fields: eventFields(flow.events[name]?.schema) }
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
  const { answer: heard } = await context.gateway.own(place.session, asOwner, finder(place))
  const [result] = (heard as { results: readonly { status: string; error?: { code: string; message: string } }[] })
    .results
  if (result?.status === 'rejected' && result.error !== undefined) {
    const { code, message } = result.error
    throw new FlowError(code as FlowError['code'], message)
  }
  // Beside this very page, wherever the agent is served.
  return new Response(null, { status: 303, headers: { location: token, 'cache-control': 'no-store' } })
}

function payloadIn(form: URLSearchParams, instance: FlowInstance | undefined, event: string, { rules }: LinkContext) {
  const events = instance === undefined ? {} : rules.definitionOf(instance).events
  const fields = eventFields(Object.hasOwn(events, event) ? events[event]?.schema : undefined)
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
