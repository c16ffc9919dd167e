import { createModel, scriptedModel } from '@cool-ai/beach-llm'

/** What the model says while there is no key: the first rule that applies. */
const script = scriptedModel({
  pieceMs: 20,
  rules: [
    { when: ({ results }) => results.has('pay'), say: ({ results }) => answer(outcome(results.get('pay'))) },
    {
      when: ({ text }) => /\bpay\b/i.test(text),
      say: ({ text }) => {
        const invoice = /invoice (\w+)/i.exec(text)?.[1] ?? 'A1'
        const amount = Number(/(?:€|for )(\d+)/i.exec(text)?.[1] ?? 40)
        return { tools: [{ name: 'pay', args: { invoice, amount } }] }
      },
    },
    { say: () => answer('I pay invoices. Say “Pay invoice A1 for 40”.') },
  ],
})

function outcome(result = ''): string {
  const [, invoice] = /"paid":"(\w+)"/.exec(result) ?? []
  return invoice === undefined ? 'It was not approved, so I left it.' : `Invoice ${invoice} is paid.`
}

function answer(text: string) {
  return { respond: { parts: [{ partType: 'response', text }], turnState: 'complete' } }
}

const { BEACH_MODEL = '', ANTHROPIC_API_KEY = '' } = process.env
const id = BEACH_MODEL === '' && ANTHROPIC_API_KEY !== '' ? 'anthropic/claude-sonnet-4-5' : BEACH_MODEL

/** A real model where the environment has a key or names a model, otherwise the script. */
export const model = id === '' ? script : await createModel(id)
