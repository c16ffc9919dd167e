import { notesOf } from '../http/request-source.ts'

/** The client certificate of the connection that a request came by, where the server noted it. */
export function tlsCertificate(request: Request): Uint8Array | undefined {
  return notesOf(request).certificate?.()
}
