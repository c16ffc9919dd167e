import { defineConfig } from '@cool-ai/beach'
import { greeter } from './greeter.ts'

export default defineConfig({
  agent: {
    id: 'my-agent',
    name: 'My agent',
    description: 'Tells the time in any city.',
    capabilities: [{ id: 'time', description: 'The time in a city.', examples: ['What time is it in Lisbon?'] }],
  },
  data: '.beach',
  actors: { greeter },
  inspect: true,
})
