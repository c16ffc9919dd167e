import type { Flow } from '../definition/flow.ts'
import { bareEvents } from '../definition/offered-events.ts'
import type { FlowInstance } from '../state/flow-instance.ts'
import { readConversation, type Conversation, type InFlow } from './conversation.ts'
import { phraseOf, readPhrase } from './phrase.ts'
import { sameWords } from './words.ts'

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
