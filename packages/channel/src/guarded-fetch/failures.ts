import { BeachError } from '@cool-ai/beach-core'

/** Why an address is not connected to. */
export function refused(reason: string, message: string): BeachError {
  return new BeachError('ADDRESS_REFUSED', message, { details: { reason } })
}

/** An answer that did not come in time. */
export function tooSlow(host: string, what: string): BeachError {
  return new BeachError('TIMEOUT', `${host} ${what}. Try again later.`)
}

/** A failure on the way to a host, in words that reveal nothing of our own network. */
export function unreachable(host: string, error: unknown): Error {
  const cause = rootOf(error)
  // Refused by us, or a request that cannot be sent at all: the caller's mistake.
  if (cause instanceof BeachError || (cause instanceof TypeError && cause.message !== 'fetch failed')) return cause
  const { code = '', message = '' } = (cause ?? {}) as { code?: unknown; message?: unknown }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new BeachError('TOO_LARGE', `The headers that ${host} answers with are too large.`, { cause: error })
  }
  if (message === 'bad port')
    return refused('port', `The port of ${host} is blocked, as in browsers. Use another port.`)
  return new BeachError('UNREACHABLE', explain(host, String(code)), { cause: error })
}

// `fetch` wraps the cause in an error of its own.
function rootOf(error: unknown): unknown {
  return error instanceof TypeError && error.cause !== undefined ? rootOf(error.cause) : error
}

function explain(host: string, code: string): string {
  if (code === 'ENOTFOUND') return `There is no host ${host}. Check its name.`
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host}. Check its address, or try again later.`
  if (/CERT|VERIFY|SELF_SIGNED|_TLS_|_SSL_/.test(code)) return `${host} has no valid certificate. It must get one.`
  if (/^(?:HPE_|Z_|ERR_|UND_ERR_)/.test(code) && code !== 'UND_ERR_SOCKET' && code !== 'UND_ERR_CONNECT_TIMEOUT') {
    return `${host} does not answer with valid HTTP.`
  }
  return `The connection to ${host} failed. Try again later.`
}
