import { createBeach } from '@cool-ai/beach'
import { skipper } from './skipper-actor.ts'

const { HARBOUR_URL: url = 'http://127.0.0.1:4800/', BEACH_DATA: data = '.beach/skipper', PORT = '4801' } = process.env

const beach = await createBeach({
  agent: { id: 'skipper', name: 'Skipper' },
  data,
  actors: { skipper },
  // `ask_harbour` is offered to the model, with the secret that BEACH_PEER_HARBOUR_API_KEY holds.
  peers: { harbour: { url } },
})
const listening = await beach.listen({ port: Number(PORT) })
console.log(`Skipper is at ${listening.url}`)
