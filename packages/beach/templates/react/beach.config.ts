import { fileURLToPath } from 'node:url'
import { defineConfig } from '@cool-ai/beach'
import { greeter } from './greeter.ts'
import { page } from './page.ts'

export default defineConfig(async ({ command }) => {
  // `beach dev` starts again whenever a file changes: the page is built anew with it.
  if (command === 'dev') {
    const { build } = await import('vite')
    await build({ root: fileURLToPath(new URL('page/', import.meta.url)), logLevel: 'warn' })
  }
  return {
    agent: { id: 'my-agent', name: 'My agent', description: 'Tells the time in any city.', capabilities: [] },
    data: '.beach',
    actors: { greeter },
    page: page(new URL('dist/', import.meta.url)),
    inspect: true,
  }
})
