import { corsHeaders, foreignOrigin, preflight, type AllowedOrigins } from '@cool-ai/beach-channel/http'

/** Which web pages may call. Agents have no origin: a caller with one is a page, and needs to be listed. */
export class PageAccess {
  readonly #allowed: AllowedOrigins

  constructor({ origins, publicUrl }: AllowedOrigins) {
    this.#allowed = { origins, publicUrl }
  }

  /** What lets the page that asks read the answer; nothing for other callers. Throws for a page that may not call. */
  headers(request: Request): Record<string, string> {
    return corsHeaders(foreignOrigin(request, this.#allowed))
  }

  /** The answer to a browser that asks whether its page may call. */
  preflight(request: Request): Response {
    return preflight(request, foreignOrigin(request, this.#allowed))
  }
}
