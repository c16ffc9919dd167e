import { defineEvaluation } from '@cool-ai/beach/evaluations'

/** “Add the cheapest” means the one with the lowest price among those that were shown. */
export default defineEvaluation({
  name: 'the cheapest is the one with the lowest price',
  at: '2026-11-18T09:00:00Z',
  turns: [
    { say: 'flights to Corfu on 3 August for 4 people', expect: { data: { test: isSortedByNothing } } },
    {
      say: 'I’ll take the cheapest',
      expect: { data: { includes: { items: [{ title: 'EJ4521 London Gatwick to Corfu', quantity: 4 }] } } },
    },
  ],
})

function isSortedByNothing(data: unknown): string | undefined {
  const { flights } = Object(data) as { flights?: readonly unknown[] }
  return (flights?.length ?? 0) > 1 ? undefined : 'There are no several flights to choose from.'
}
