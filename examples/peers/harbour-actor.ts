import { defineActor } from '@cool-ai/beach'

/** Knows berths, and books them once an approver has approved. */
export const harbour = defineActor(async ({ text, respond, tool }) => {
  if (/\bbook\b/i.test(text)) {
    const call = { name: 'book_berth', args: { berth: 'B7', price: '€40' }, requiresApproval: true }
    const booked = await tool(call, async () => 'HB-1')
    const answer = booked.outcome === 'ok' ? `Booked: ${booked.value}.` : 'Not booked.'
    return respond({ parts: [{ partType: 'response', text: answer }], turnState: 'complete' })
  }
  const metres = /\d+/.exec(text)?.[0]
  if (metres === undefined) {
    const question = { partType: 'clarify', text: 'How long is your boat?', metadata: { options: ['8 m', '12 m'] } }
    return respond({ parts: [question], turnState: 'clarifying' })
  }
  const found = { partType: 'domain-data', data: { berths: ['B7', 'B9'] } }
  const words = { partType: 'response', text: `For ${metres} m there are B7 and B9.` }
  return respond({ parts: [words, found], turnState: 'complete' })
})
