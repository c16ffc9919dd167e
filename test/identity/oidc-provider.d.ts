declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** As much of the package as the tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}
