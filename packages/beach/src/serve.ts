import { createAdaptorServer } from '@hono/node-server'
import { BeachError } from '@cool-ai/beach-core'
import type { Beach } from './create-beach.ts'

/** An agent that listens. */
export interface Serving {
  readonly url: string
  /** Stops listening, ends open streams and closes the agent. */
  close(): Promise<void>
}

/** Puts an agent on a port of this machine; port 0 takes a free one. */
export async function serve(beach: Beach, options: { port: number; host?: string }): Promise<Serving> {
  const host = options.host ?? '127.0.0.1'
  const server = createAdaptorServer({ fetch: (request) => beach.fetch(request) })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      const advice = taken ? 'It is in use; choose another with PORT.' : cause.message
      reject(new BeachError('INVALID_CONFIGURATION', `Cannot listen on ${host}:${options.port}. ${advice}`, { cause }))
    })
    server.listen(options.port, host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `http://${host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await beach.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}
