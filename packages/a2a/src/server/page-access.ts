import { corsHeaders, foreignOrigin, preflight } from '@cool-ai/beach-channel/http'

interface PageAccessOptions {
  /** Origins of other sites whose pages may call. */
  readonly origins?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
  /** The headers, besides `Authorization`, that carry a caller's credential. */
  readonly keyHeaders?: readonly string[] | undefined
}

const methods = ['GET', 'POST', 'DELETE']
const sent = ['authorization', 'content-type', 'accept', 'a2a-version', 'a2a-extensions', 'x-a2a-extensions']
const exposed = ['a2a-extensions', 'x-a2a-extensions', 'retry-after', 'www-authenticate']

/** Which web pages may call. Agents have no origin: a caller with one is a page, and needs to be listed. */
export class PageAccess {
  readonly #options: PageAccessOptions

  constructor(options: PageAccessOptions) {
    this.#options = options
  }

  /** What lets the page that asks read the answer; nothing for other callers. Throws for a page that may not call. */
  headers(request: Request): Record<string, string> {
    return corsHeaders(foreignOrigin(request, this.#options), exposed)
  }

  /** The answer to a browser that asks whether its page may call. */
  preflight(request: Request): Response {
    const headers = [...sent, ...(this.#options.keyHeaders ?? [])]
    return preflight(foreignOrigin(request, this.#options), { methods, headers })
  }
}
