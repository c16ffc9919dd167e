import { createBeach, serve } from '@cool-ai/beach'
import { apiKeyAuth } from '@cool-ai/beach-channel/auth'
import { harbour } from './harbour-actor.ts'

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
