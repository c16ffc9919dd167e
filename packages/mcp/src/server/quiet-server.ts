import { Server } from '@modelcontextprotocol/server'

/**
 * The SDK's server, which makes an error for waiting requests whenever it is closed, and so after each request.
 * Mostly no request waits, and the stack of an error is expensive.
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
