import { Server } from '@modelcontextprotocol/server'

/**
 * The SDK's server, which makes an error for those who still wait whenever it is closed, and so after each request.
 * Mostly nobody waits, and the stack is what is dear about an error.
 */
export class QuietServer extends Server {
  // oxlint-disable-next-line no-underscore-dangle -- the name is the SDK's.
  protected override _onclose(): void {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      // oxlint-disable-next-line no-underscore-dangle -- see above.
      super._onclose()
    } finally {
      Error.stackTraceLimit = limit
    }
  }
}
