import { noteNodeResponse, takeNodeResponse } from './node-response.ts'
import { noteRemoteAddress, readRemoteAddress } from './remote-address.ts'

/** The same request to another address, with what its server has noted of it: for agents that share a port. */
export function readdressed(request: Request, url: string | URL): Request {
  const other = new Request(url, request)
  noteRemoteAddress(other, () => readRemoteAddress(request))
  const response = takeNodeResponse(request)
  if (response !== undefined) noteNodeResponse(other, response)
  return other
}
