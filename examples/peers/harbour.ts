import { createBeach, defineActor, serve } from '@cool-ai/beach'
import { apiKeyAuth } from '@cool-ai/beach-channel/auth'

const harbour = defineActor(async ({ text, respond, tool }) => {
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

const auth = { type: 'api-key', header: 'X-Harbour-Key' }
const { SKIPPER_KEY_HASH: hash = '', PORT = '4800' } = process.env

const { url } = await serve(
  (publicUrl) =>
    createBeach({
      agent: {
        id: 'harbour',
        name: 'Harbour',
        description: 'Finds and books berths.',
        capabilities: [
          {
            id: 'berths',
            description: 'Berths for a boat of some length.',
            outputSchema: { type: 'object', properties: { berths: { type: 'array', items: { type: 'string' } } } },
          },
        ],
      },
      publicUrl,
      actors: { harbour },
      data: process.env.BEACH_DATA ?? '.beach/harbour',
      protocols: { a2a: { auth } },
      access: {
        authenticators: [apiKeyAuth({ header: auth.header, keys: [{ id: 'skipper', tenant: 'default', hash }] })],
      },
    }),
  { port: Number(PORT) },
)
console.log(`Harbour is at ${url}`)
