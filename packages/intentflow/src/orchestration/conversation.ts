import { BeachError } from '@cool-ai/beach-core'
import type { FlowConversation, EventOf, Flow, PropsOf } from '../definition/flow.ts'
import type { PropsChange } from '../definition/event-handlers.ts'
import { phraseOf, readPhrase, type Found, type Phrase } from './phrase.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What the user says while a flow is open, and where that flow is. */
export interface FlowUtterance<Props = Values> {
  readonly text: string
  /** What the phrase had in its places. */
  readonly found: Found
  readonly state: string
  readonly props: Props
  readonly context: Values
}

/** What words come to in an open flow. */
export type InFlow<Event extends string = string> =
  | { readonly kind: 'event'; readonly event: Event; readonly payload?: Values }
  | { readonly kind: 'modify'; readonly change: PropsChange }
  | { readonly kind: 'dismiss' }
  | { readonly kind: 'unrelated' }

/** Words that mean something in a flow. */
export interface ConversationRule<F extends Flow = Flow> {
  /** Ways to say it: words, `(this|that)`, `[maybe]`, `{place}`, `{place:number}`. */
  readonly says: readonly string[]
  /** The states in which it can be said; all in which the event can come, or all, when left out. */
  readonly in?: readonly string[] | undefined
  /** An event, whose payload is what the places hold; or what it comes to, undefined for nothing. */
  readonly means: EventOf<F> | ((utterance: FlowUtterance<PropsOf<F>>) => InFlow<EventOf<F>> | undefined)
}

interface ReadRule {
  readonly phrases: readonly Phrase[]
  readonly in: readonly string[] | undefined
  readonly means: string | ((utterance: FlowUtterance) => InFlow | undefined)
}

/** How one talks in a flow. Made by `defineConversation`. */
export interface Conversation extends FlowConversation {
  readonly rules: readonly ReadRule[]
}

/** The rules of a conversation, wherever it was kept. */
export function isConversation(given: FlowConversation | undefined): given is Conversation {
  return given !== undefined && 'rules' in given
}

/** Says what words mean while a flow is open: an event, a change of its props, or that it is no longer wanted. */
export function defineConversation<F extends Flow>(flow: F, rules: readonly ConversationRule<F>[]): Conversation {
  return { kind: 'conversation', intentId: flow.intentId, rules: rules.map((rule) => readRule(flow, rule)) }
}

function readRule<F extends Flow>(flow: F, { says, in: states, means }: ConversationRule<F>): ReadRule {
  const problem = (what: string) =>
    new BeachError('INVALID_REGISTRATION', `The conversation of ${flow.intentId}: ${what}.`)
  const strange = states?.find((state) => !flow.machine.states.includes(state))
  if (strange !== undefined) throw problem(`there is no state ${strange}`)
  if (typeof means === 'string' && flow.events[means]?.source !== 'client') {
    throw problem(`${means} is no event that clients send`)
  }
  return {
    phrases: says.map((phrase) => {
      try {
        return phraseOf(phrase)
      } catch (error) {
        throw problem(error instanceof Error ? error.message.replace(/\.$/, '') : String(error))
      }
    }),
    in: states,
    means: means as ReadRule['means'],
  }
}

/** What the rules of a flow make of a text; undefined when none of them has to do with it. */
export function readConversation(
  { rules }: Conversation,
  { machine }: Flow,
  utterance: Omit<FlowUtterance, 'found'>,
): InFlow | undefined {
  for (const { phrases, in: states, means } of rules) {
    if (states !== undefined && !states.includes(utterance.state)) continue
    if (typeof means === 'string' && !machine.events(utterance.state).includes(means)) continue
    for (const phrase of phrases) {
      const found = readPhrase(phrase, utterance.text)
      if (found === undefined) continue
      const meant: InFlow | undefined =
        typeof means === 'string' ? { kind: 'event', event: means, payload: found } : means({ ...utterance, found })
      if (meant !== undefined) return meant
    }
  }
  return undefined
}
