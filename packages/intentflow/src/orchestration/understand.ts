import type { PropsChange } from '../definition/event-handlers.ts'
import type { FlowUser } from '../definition/permissions.ts'
import type { FlowRegistry } from '../registry/flow-registry.ts'
import type { ActiveFlows, FlowInstance } from '../state/flow-instance.ts'
import { clarifyFlow, clarifyOf, type Clarify } from './clarify.ts'
import { isConversation, readConversation, type InFlow, type Conversation } from './conversation.ts'
import type { Entities } from './entities.ts'
import type { Matcher } from './matcher.ts'
import type { Flow } from '../definition/flow.ts'
import { bareEvents } from '../definition/offered-events.ts'
import { phraseOf, readPhrase } from './phrase.ts'
import { sameWords } from './words.ts'

/** What words in a flow mean. */
export type Understood =
  | { readonly kind: 'open'; readonly intentId: string; readonly entities: Entities; readonly replaces?: string }
  | { readonly kind: 'ask'; readonly clarify: Clarify }
  | InInstance<Extract<InFlow, { kind: 'event' }>>
  | InInstance<{ readonly kind: 'modify'; readonly change: PropsChange }>
  | InInstance<{ readonly kind: 'dismiss' }>
  | { readonly kind: 'none' }

type InInstance<Meant> = Meant & { readonly instanceId: string; readonly intentId: string }

/** What is known when the user says something, and of the user. */
export interface UnderstandContext extends FlowUser {
  readonly registry: FlowRegistry
  readonly matcher: Matcher
  readonly flows: ActiveFlows
}

/**
 * What the user means: a flow by its id, something in a flow that is open, or a flow that is not. The flow that was
 * opened last is the one that they are in; what is said of others must be one of their own phrases.
 */
export function understand(text: string, surroundings: UnderstandContext): Understood {
  const { registry, matcher, flows, ...who } = surroundings
  const explicit = /^\/?([a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)$/.exec(text.trim())?.[1]
  if (explicit !== undefined && registry.hasFlow(explicit)) return { kind: 'open', intentId: explicit, entities: {} }
  const open = Object.entries(flows).toSorted(([, one], [, other]) => other.createdAt - one.createdAt)
  const [focused] = open
  const activeFlows = open.map(([, { intentId }]) => intentId)
  const match = matcher.match(text, { activeFlows, ...who, activeFlow: focused?.[1].intentId })
  const asks = focused?.[1].intentId === clarifyFlow.intentId ? focused[0] : undefined
  // A question that is open takes almost any words for its answer: what is clearly something else goes first.
  if (asks !== undefined && match.kind === 'match' && match.confidence >= 0.9) {
    return { kind: 'open', intentId: match.intentId, entities: match.entities, replaces: asks }
  }
  const inFlow = inOpenFlows(registry, open, text)
  if (inFlow !== undefined) return inFlow
  if (match.kind === 'match') return { kind: 'open', intentId: match.intentId, entities: match.entities }
  const clarify = clarifyOf(match)
  return clarify === undefined ? { kind: 'none' } : { kind: 'ask', clarify }
}

function inOpenFlows(
  registry: FlowRegistry,
  open: readonly [string, FlowInstance][],
  text: string,
): Understood | undefined {
  for (const [index, [instanceId, instance]] of open.entries()) {
    const registered = registry.get(instance.intentId, instance.version)
    if (registered === undefined) continue
    const { flow, conversation } = registered
    const talk = isConversation(conversation) ? conversation : undefined
    const { state, props, context } = instance
    const meant =
      index === 0
        ? classifyInFlow(flow, talk, instance, text)
        : talk && readConversation(talk, flow, { text, state, props, context })
    if (meant === undefined || meant.kind === 'unrelated') continue
    if (meant.kind === 'dismiss' && !instance.dismissable) continue
    return { ...meant, instanceId, intentId: instance.intentId }
  }
  return undefined
}

const leaving = [
  '(never mind|nevermind|forget it|forget that|forget about it)',
  '(close|leave|quit|stop) [it|this|that]',
  '(cancel|cancel this|cancel that|cancel it)',
  '(i changed my mind|not any more|not anymore|no thanks|no thank you)',
].map((phrase) => phraseOf(phrase))

const agreeing = [
  '(yes|yep|yeah|sure|confirm|confirmed|go ahead|do it|go for it|sounds good|looks good|perfect|place it)',
  '(yes|ok|okay|sure) [please] (go ahead|do it|confirm|place it|sounds good)',
  '(ok|okay)',
].map((phrase) => phraseOf(phrase))

/**
 * What the user means while a flow is open: the flow's own rules first, then the label or the name
 * of an event that is possible now, agreement (to the one event that asks for it), and no longer wanting it.
 */
export function classifyInFlow(
  flow: Flow,
  conversation: Conversation | undefined,
  instance: Pick<FlowInstance, 'state' | 'props' | 'context' | 'dismissable'>,
  text: string,
): InFlow {
  const { state, props, context } = instance
  const own = conversation && readConversation(conversation, flow, { text, state, props, context })
  if (own !== undefined) return own
  const possible = bareEvents(flow, instance)
  const said = sameWords(text)
  const named = possible.find(({ name, label }) => [label, name].map(sameWords).includes(said))
  // A question is no agreement.
  const isQuestion = /[?？]\s*$/.test(text)
  const needsWord = named !== undefined && flow.events[named.name]?.confirm === true
  if (named !== undefined && !(isQuestion && needsWord)) return { kind: 'event', event: named.name }
  const [asking, ...more] = possible.filter(({ name }) => flow.events[name]?.confirm === true)
  const agrees = !isQuestion && agreeing.some((phrase) => readPhrase(phrase, text) !== undefined)
  if (agrees && asking !== undefined && more.length === 0) return { kind: 'event', event: asking.name }
  const leaves = leaving.some((phrase) => readPhrase(phrase, text) !== undefined)
  return leaves && instance.dismissable ? { kind: 'dismiss' } : { kind: 'unrelated' }
}
