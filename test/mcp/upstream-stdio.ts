import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { upstream } from './upstream.ts'

// `stubborn` neither ends with its input nor when it is asked to.
if (process.argv.includes('stubborn')) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1_000_000)
}
serveStdio(() => upstream({ echoDescription: 'Says it again.' }))
