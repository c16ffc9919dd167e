import { BeachError } from '@cool-ai/beach-core'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// These headers say where a request goes, or where it ends. The name may come from a peer's card.
const reserved =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|sec-.*)$/i

/** The name of a header that may carry a credential, in lower case, or an error. */
export function headerName(given: unknown): string {
  if (typeof given === 'string' && token.test(given) && !reserved.test(given)) return given.toLowerCase()
  const problem =
    typeof given === 'string' && token.test(given)
      ? `The header '${given}' cannot carry a credential.`
      : 'The name of the header that carries the credential is missing or malformed.'
  throw new BeachError('INVALID_CONFIGURATION', `${problem} Give one of its own, such as 'X-Beach-Key'.`)
}

/** True for a value that a header can carry as it is. */
export function isHeaderValue(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value)
}
