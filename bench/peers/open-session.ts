import { text } from 'node:stream/consumers'
import { call } from '../http.ts'

/** A session of an agent, and the token of its owner. */
export interface OpenedSession {
  readonly sessionId: string
  readonly token: string
}

/** Opens a session of an agent; with a token, for the principal that it is of. */
export async function openSession(url: string): Promise<OpenedSession> {
  return JSON.parse(await text(await call(`${url}/sessions`, { body: {} }))) as OpenedSession
}
