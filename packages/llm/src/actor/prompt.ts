import type { Injection, Message, Part, SessionView, TurnContext } from '@cool-ai/beach-core'
import {
  actionTarget,
  declaredOrigins,
  othersContentOf,
  peerOf,
  type ForwardedAction,
  type PastTurn,
} from '@cool-ai/beach-core/ports'
import { clarifyOptions } from '@cool-ai/beach-core/registries'
import { a2uiActionOf, actionSentence, chosenItem, type A2uiAction, type ChosenItem } from '@cool-ai/beach-protocol'
import type { ModelMessage, ModelPrompt } from '../models/model.ts'
import { respondToolSnippet } from '../respond/snippet.ts'
import { fenced, fenceRule } from './fence.ts'

/** What a model should know of the session, and where it is from: foreign content, such as a memory of it, has an `origin`. */
export interface SessionFact {
  readonly text: string
  readonly origin: string | readonly string[]
}

/** Says something of the session that the model should know; it is given as data. */
export type ContextBuilder = (
  session: SessionView,
  messages: readonly Message[],
) => string | SessionFact | Promise<string | SessionFact>

/** How much of the conversation a model is shown. */
export interface HistoryWindow {
  readonly turns?: number | undefined
  /** About four characters each; the oldest turns are left out first. */
  readonly tokens?: number | undefined
}

const maxDataLength = 4_000
const remembered: ReadonlySet<string> = new Set(['response', 'clarify', 'error', 'domain-data'])

/** What the system prompt needs of the turn. */
interface SystemContext extends Pick<TurnContext, 'view' | 'messages' | 'clientState'> {
  readonly sees?: (origins: readonly string[]) => void
}

function factText(fact: string | SessionFact, sees: SystemContext['sees']): string {
  if (typeof fact === 'string') return fact
  if (fact.text !== '') sees?.(declaredOrigins(fact.origin, fact.text))
  return fact.text
}

/** The system prompt: the actor's own, how it speaks, what fences mean, and where the session stands. */
export async function systemMessage(
  prompt: string,
  context: readonly ContextBuilder[],
  { view: session, messages, clientState, sees }: SystemContext,
): Promise<ModelMessage> {
  const built = await Promise.all(context.map(async (build) => factText(await build(session, messages), sees)))
  const state = Object.entries(session.coordinates).map(([name, value]) => `${name} = ${value}`)
  const facts = [...built.filter((text) => text !== ''), ...(state.length > 0 ? [`State:\n${state.join('\n')}`] : [])]
  if (clientState !== undefined) sees?.(['client-state'])
  const shown = clientState === undefined ? [] : [fencedJson(clientState, 'client-state')]
  const parts = [prompt, respondToolSnippet, fenceRule, ...facts.map((text) => fenced(text, 'session')), ...shown]
  return { role: 'system', content: parts.join('\n\n') }
}

/** Earlier turns, as the model itself would have lived them. */
export function pastMessages(turns: readonly PastTurn[], window: HistoryWindow): ModelPrompt {
  let left = (window.tokens ?? 8_000) * 4
  const kept: ModelPrompt[] = []
  for (const turn of turns.toReversed()) {
    const messages = pastTurn(turn)
    left -= JSON.stringify(messages).length
    if (left < 0) break
    kept.unshift(messages)
  }
  return kept.flat()
}

/** All inbound messages as one message to the model, with the answers to actions that were passed on to peers. */
export function inboundMessage(messages: readonly Message[], forwarded: readonly ForwardedAction[] = []): ModelMessage {
  const texts = messages.map((message) => {
    const own = forwarded.filter(({ messageId }) => messageId === message.messageId)
    return [inboundText(message), ...own.map(forwardedText)].join('\n')
  })
  return { role: 'user', content: [{ type: 'text', text: texts.join('\n\n') }] }
}

/** A peer's answer to an action on its surface, fenced like the result of asking the peer. */
function forwardedText({ peer, outcome }: ForwardedAction): string {
  if (outcome.outcome !== 'ok') {
    return `This could not be passed on to the agent '${peer}':\n${fenced(outcome.reason, `peer:${peer}`)}`
  }
  const said = `This was passed on to the agent '${peer}', and the user has seen what it said. Do not pass it on again. It answered:`
  return `${said}\n${fenced(JSON.stringify(outcome.value) ?? 'null', `peer:${peer}`)}`
}

/** What has come of work that ran in parallel to the conversation, as one message; none when there is nothing to tell. */
export function injectedMessages(injections: readonly Injection[]): ModelPrompt {
  const text = injections.flatMap(injectedText).join('\n\n')
  return text === '' ? [] : [{ role: 'user', content: [{ type: 'text', text }] }]
}

function injectedText(injection: Injection): string[] {
  const { name } = injection
  if (injection.kind === 'settled') {
    const { missing } = injection
    return missing.length === 0 ? [] : [`(${name} has ended without a result for: ${missing.join(', ')}.)`]
  }
  const { slot, outcome, part, reason } = injection
  const of = slot === name ? name : `${slot} of ${name}`
  if (outcome !== 'ok' || part === undefined)
    return [`(${of} has no result.)\n${fenced(reason ?? 'It is gone.', 'work')}`]
  return [`(The result of ${of}.)\n${partText(part)}`]
}

function inboundText({ parts, from }: Message): string {
  const text = parts.map((part) => saidText(part)).join('\n')
  // Another agent's words are information for us, not our orders.
  return from.principal.kind === 'peer' ? fenced(text, `peer:${from.principal.id}`) : text
}

function saidText(part: Part): string {
  const action = a2uiActionOf(part)
  if (action !== undefined) return pressedText(action, part)
  const chosen = chosenItem(part)
  return chosen === undefined ? partText(part) : chosenText(chosen)
}

/** Which thing of a list the user means. What it says may be foreign data, so it is fenced. */
function chosenText({ number, title, details, actions = [] }: ChosenItem): string {
  const offered = actions.map(({ label, name, context }) => ({ label, name, context }))
  const item = { number, title, details, ...(offered.length > 0 && { actions: offered }) }
  return `(The user means number ${number} of the list that they were sent.)\n${fencedJson(item, 'choice')}`
}

/** What the user did on a surface. The values may be those of foreign data, so they are fenced. */
function pressedText(action: A2uiAction, part: Part): string {
  const { metadata } = part
  const { peer } = actionTarget(part) ?? {}
  const { label, a2uiClientDataModel: model } = metadata
  const sentence = actionSentence(action, isPlain(label) ? label : undefined, 'The user', peer)
  const values = Object.keys(action.context).length === 0 ? [] : [fencedJson(action.context, 'a2ui-action')]
  return [sentence, ...values, ...(model === undefined ? [] : [fencedJson(model, 'a2ui-data-model')])].join('\n')
}

/** What a button says may be data too: only a few plain words stand outside the fence. */
function isPlain(label: unknown): boolean {
  return typeof label === 'string' && /^[\p{L}\p{N} ,.!?'’&+-]{1,40}$/u.test(label)
}

function partText(part: Part): string {
  const { text, data, metadata } = part
  const origin = originOf(part)
  if (text === undefined) return fencedJson(data, origin ?? metadata.partType)
  return origin === undefined ? text : `${fenced(text, origin)}${conversationOf(metadata)}`
}

function fencedJson(data: unknown, origin: string): string {
  const json = JSON.stringify(data) ?? 'null'
  return fenced(json.length > maxDataLength ? `${json.slice(0, maxDataLength)}…` : json, origin)
}

/** Whose words or data a part passes on; undefined for those of its sender. */
function originOf(part: Part): string | undefined {
  const others = othersContentOf(part)
  if (others !== undefined) return `others:${others}`
  const peer = peerOf(part)
  return peer === undefined ? undefined : `peer:${peer}`
}

function conversationOf({ conversationId }: Part['metadata']): string {
  return typeof conversationId === 'string' ? `\n(conversationId: ${conversationId.replaceAll(/[^\w.-]/g, '')})` : ''
}

function isRemembered({ metadata }: Part): boolean {
  return remembered.has(metadata.partType) || conversationOf(metadata) !== ''
}

/** The type of a part as the model would have said it: a peer's words are no answer of its own. */
function pastType(part: Part): string {
  const { partType } = part.metadata
  return partType !== 'domain-data' && peerOf(part) !== undefined ? 'thinking' : partType
}

/** With the answers that a question of the agent's own has offered: “the second” is one of them. */
function pastMetadata(part: Part): Readonly<Record<string, unknown>> {
  const partType = pastType(part)
  const options = partType === 'clarify' && originOf(part) === undefined ? clarifyOptions(part) : []
  return options.length === 0 ? { partType } : { partType, options }
}

function pastTurn({ turnId, messages, injections, parts }: PastTurn): ModelPrompt {
  const said = parts.filter(isRemembered)
  const came = messages.length === 0 ? [] : [inboundMessage(messages)]
  const asked = [...came, ...injectedMessages(injections)]
  if (said.length === 0) return asked
  const input = {
    turnState: said.some((part) => pastType(part) === 'clarify') ? 'clarifying' : 'complete',
    parts: said.map((part) => ({ metadata: pastMetadata(part), text: partText(part) })),
  }
  const toolCallId = `past_${turnId}`
  return [
    ...asked,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'respond', input }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId, toolName: 'respond', output: { type: 'text', value: 'Delivered.' } },
      ],
    },
  ]
}
