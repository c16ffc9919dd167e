import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { noteRequest } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'

/** An upgrade request as a Web-standard request. */
export function upgradeRequest(incoming: IncomingMessage): Request {
  const { socket, headers } = incoming
  const scheme = socket instanceof TLSSocket ? 'https' : 'http'
  const url = `${scheme}://${headers.host ?? ''}${incoming.url ?? ''}`
  // Only a path: an absolute address would name another host than the header that is checked.
  if (incoming.url?.startsWith('/') !== true || !URL.canParse(url) || new URL(url).pathname.length > 2_000) {
    throw new BeachError('BAD_REQUEST', 'The address of this request cannot be read.')
  }
  const request = new Request(url, { headers: headersOf(incoming) })
  noteRequest(request, {
    remoteAddress: () => socket.remoteAddress,
    certificate: socket instanceof TLSSocket ? () => socket.getPeerX509Certificate()?.raw : undefined,
  })
  return request
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  return headers
}
