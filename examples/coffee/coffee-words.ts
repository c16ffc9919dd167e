import { isForeign, smallTalkIn, type SmallTalk } from '@cool-ai/example-kit/small-talk'
import type { FlowOutcome, FlowRegistry, Matcher } from '@intentflow/core'
import * as z from 'zod'
import { dollars, sum } from './domain/money.ts'
import { subtotal } from './domain/order-line.ts'
import { orderLineSchema } from './domain/order-line-schema.ts'

const opened: Readonly<Record<string, string>> = {
  'menu.browse': 'Here is the menu.',
  'order.place': 'Here is your order. Have a look, then place it.',
  'order.track': 'Here is where your order is.',
  'order.cancel': 'Please confirm that you want to cancel.',
  'account.update_payment': 'What would you like to pay with?',
}

const happened: Readonly<Record<string, string>> = {
  ADD_ITEM: 'Added.',
  REMOVE_ITEM: 'Removed.',
  SET_OPTION: 'Changed.',
  SELECT_LOCATION: 'You can pick it up there.',
  SET_TIP: 'Thank you!',
  CHANGE_PAYMENT: 'What would you like to pay with?',
  CONFIRM: 'All right, that is done.',
  KEEP: 'Your order stays as it is.',
  CANCEL_ORDER: 'Please confirm that you want to cancel.',
  COLLECT: 'Enjoy!',
  ORDER: 'Here is your order. Have a look, then place it.',
  FILTER: 'Here you are.',
  CLOSE: 'All right.',
  SELECT: 'That is the card that you pay with.',
  CANCEL: 'Never mind then.',
}

/** A matcher that takes “what can you do?” and other talk for no order. */
export function politely(matcher: Matcher): Matcher {
  return {
    match: (text, context) => {
      const talk = smallTalkIn(text)
      return talk === undefined ? matcher.match(text, context) : { kind: 'none' }
    },
  }
}

const abilities =
  'I am the barista of Example Coffee. I take orders, show the menu, and tell you how far your order is.'

/** What the barista says to what is no wish, where no open flow takes it for an answer. */
const said: Readonly<Record<SmallTalk, string>> = {
  thanks: 'You are welcome.',
  bye: 'Goodbye, and enjoy your day.',
  hello: 'Hello! What can I get you?',
  'how-are-you': 'Very well, thank you. What can I get you?',
  who: `${abilities} No model takes part: I understand simple English.`,
  human: 'There is only me here, and I am a script. What can I get you?',
  help: abilities,
  sorry: 'No problem.',
  rude: 'I am sorry that I was no help.',
  no: 'All right.',
  yes: 'What can I get you?',
  praise: 'Glad to hear it.',
  thinking: 'Take your time.',
}

/** What the barista says to what was done. */
export function coffeeWords(registry: FlowRegistry): (deed: FlowOutcome) => string | undefined {
  return ({ text, understood, instance, failed }) => {
    if (failed !== undefined) return sentence(failed)
    const problem = instance?.context.problem
    switch (understood.kind) {
      case 'open':
        return opened[understood.intentId]
      case 'event':
        if (typeof problem === 'string') return sentence(problem)
        return understood.event === 'SELECT_PAYMENT' ? selectedPayment(instance) : happened[understood.event]
      case 'modify':
        return 'Changed.'
      case 'dismiss':
        return 'Never mind then.'
      case 'ask':
        return undefined
      case 'none':
        return unclear(text, instance, registry)
    }
  }
}

const order = z.object({
  props: z.object({ items: z.array(orderLineSchema) }),
  context: z.object({ tip: z.number() }),
})

/** The answer to what is no wish: what can be said now. */
function unclear(text: string, instance: FlowOutcome['instance'], registry: FlowRegistry): string {
  const talk = smallTalkIn(text)
  const answer = talk && said[talk]
  const isOrder = instance?.intentId === 'order.place'
  const { data } = order.safeParse(isOrder ? instance : undefined)
  if (data !== undefined && /\b(?:how much|total|price|cost)\b/i.test(text)) {
    return `Your order comes to ${dollars(sum([subtotal(data.props.items), data.context.tip]))}.`
  }
  if (data !== undefined && /^\W*undo\b/i.test(text)) {
    const last = data.props.items.at(-1)?.item.name.toLowerCase()
    return `Say what to change, such as “remove the ${last}” or “make it one”; “never mind” puts the order away.`
  }
  if (answer !== undefined && talk !== 'help' && talk !== 'who') return answer
  const known = data === undefined ? suggestions(registry) : inOrder
  const hint = `You can say: ${known.join(', ')}.`
  if (answer !== undefined) return `${answer} ${hint}`
  return isForeign(text) ? `I only understand simple English. ${hint}` : `I did not get that. ${hint}`
}

const inOrder = [
  '“make it two”',
  '“add a muffin”',
  '“with oat milk”',
  '“how much is it?”',
  '“place order”',
  '“never mind”',
]

const payment = z.object({
  props: z.object({ paymentMethods: z.array(z.object({ id: z.string(), label: z.string() })) }),
  context: z.object({ selectedPaymentId: z.string() }),
})

function selectedPayment(instance: FlowOutcome['instance']): string {
  const { data } = payment.safeParse(instance)
  const method = data?.props.paymentMethods.find(({ id }) => id === data.context.selectedPaymentId)
  return method === undefined ? 'Changed.' : `Using ${method.label}.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function suggestions(registry: FlowRegistry): string[] {
  const examples = registry.getIntents().flatMap((intent) => intent.examples.find((one) => !one.includes('{')) ?? [])
  return examples.map((example) => `“${example}”`)
}
