import { defineConfig } from '@cool-ai/beach'
import { concierge } from './concierge.ts'

export default defineConfig({
  agent: { id: 'concierge', name: 'Concierge', description: 'Plans days out.', capabilities: [] },
  data: '.beach/concierge',
  actors: { concierge },
  // Its model gets the tool `ask_weather`; the peer's Agent Card says how it is called.
  peers: { weather: { url: process.env.WEATHER_URL ?? 'http://127.0.0.1:4748/' } },
  inspect: true,
})
