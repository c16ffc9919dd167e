import type { FlowOutcome, FlowRegistry } from '@intentflow/core'
import * as z from 'zod'

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
}

/** What the barista says to what was done. */
export function coffeeWords(registry: FlowRegistry): (deed: FlowOutcome) => string | undefined {
  return ({ understood, instance, failed }) => {
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
        return `I did not get that. You can say: ${suggestions(registry).join(', ')}.`
    }
  }
}

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
