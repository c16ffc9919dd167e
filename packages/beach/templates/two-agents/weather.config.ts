import { defineConfig } from '@cool-ai/beach'
import { weather } from './weather.ts'

export default defineConfig({
  agent: {
    id: 'weather',
    name: 'Weather',
    description: 'Says what the weather will be.',
    capabilities: [{ id: 'forecast', description: 'Tomorrow’s weather in a place.', examples: ['Weather in Corfu?'] }],
  },
  data: '.beach/weather',
  actors: { weather },
  // The concierge names its Agent Card, which is on this machine too.
  access: { callerCards: { allowOrigins: [`http://127.0.0.1:${process.env.PORT ?? 4747}`] } },
  port: Number(process.env.WEATHER_PORT ?? 4748),
})
