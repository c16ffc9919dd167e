import { BeachError } from '@cool-ai/beach-core'
import type { Response as Answer } from 'undici'
import type { Deadline } from './deadline.ts'
import { limitedBody, tooLarge } from './limited-body.ts'

export interface AnswerGuard {
  readonly url: URL
  readonly isRedirected: boolean
  readonly bytes: number
  readonly deadline: Deadline
}

const withoutBody = new Set([204, 205, 304])

// The reason phrase; the HTTP client lets more through than a Response accepts.
const phrase = /^[\t\u0020-\u007E\u0080-\u00FF]*$/

/** The answer as one of the platform's, with a body that is limited. */
export function toResponse(answer: Answer, guard: AnswerGuard): Response {
  const { url, isRedirected, bytes, deadline } = guard
  const { status } = answer
  deadline.begun()
  if (status > 599)
    throw new BeachError('UNREACHABLE', `${url.host} answers with the status ${status}, which is not an HTTP status.`)
  const headers = new Headers([...answer.headers])
  if (headers.has('content-encoding')) {
    // The body is decompressed, so these headers no longer describe it.
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  if (Number(headers.get('content-length') ?? 0) > bytes) throw tooLarge(url.host, bytes)
  const source = withoutBody.has(status) ? null : (answer.body as ReadableStream<Uint8Array> | null)
  if (source === null) deadline.done()
  const body = source && limitedBody(source, { host: url.host, bytes, deadline })
  const statusText = phrase.test(answer.statusText) ? answer.statusText : ''
  const response = new Response(body, { status, statusText, headers })
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: isRedirected } })
}
