import type { ServerResponse } from 'node:http'
import { RequestNote } from './request-note.ts'

// A Web-standard handler answers with a stream of its own. A server on Node can note the response that the
// answer is going to be written to: a stream that stays open then does without the Web's one, which costs more than all
// else of an idle connection.
const noted = new RequestNote<ServerResponse | undefined>('node response')

/** Notes for a request what its answer is written to. The caller must not answer once that has its headers. */
export function noteNodeResponse(request: Request, response: ServerResponse): void {
  noted.set(request, response)
}

/** What the answer to a request may be written to at once, where the server noted it. It is given once. */
export function takeNodeResponse(request: Request): ServerResponse | undefined {
  const response = noted.get(request)
  noted.set(request, undefined)
  return response
}
