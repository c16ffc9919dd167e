import { RequestNote } from '../http/request-note.ts'

// A Web-standard request says nothing of its connection; its server notes what the connection has proved.
const noted = new RequestNote<() => Uint8Array | undefined>('TLS certificate')

/** Notes for a request how to read the client certificate of its connection, as DER. For servers of requests. */
export function noteTlsCertificate(request: Request, read: () => Uint8Array | undefined): void {
  noted.set(request, read)
}

/** The client certificate of the connection that a request came by, where the server noted it. */
export function tlsCertificate(request: Request): Uint8Array | undefined {
  return noted.get(request)?.()
}
