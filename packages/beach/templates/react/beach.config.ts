import { defineConfig } from '@cool-ai/beach'
import { greeter } from './greeter.ts'
import { page } from './page.ts'

export default defineConfig({
  agent: { id: 'my-agent', name: 'My agent', description: 'Tells the time in any city.', capabilities: [] },
  data: '.beach',
  actors: { greeter },
  page: page(new URL('dist/', import.meta.url)),
  inspect: true,
})
