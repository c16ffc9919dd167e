const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The headers that a page's files are sent with: nothing inline and nothing of others; `allowed` is what the policy allows besides. */
export function pageHeaders(allowed?: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': allowed === undefined ? policy : `${policy}; ${allowed}`,
    // The page that opened this window gets no reference to it.
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
}

/** Those of the chat page: what a mail looks like is shown in a frame, in which nothing runs. */
export const chatPageHeaders = pageHeaders("frame-src 'self'")
