import type { Principal } from '@cool-ai/beach-core'
import type { AuthMethod } from './auth-method.ts'
import { noAuth } from './no-auth.ts'
import { SentCredentials, type PeerCredentials } from './peer-credentials.ts'

const nothing: PeerCredentials = { forRequest: async () => new SentCredentials(), refused: () => {} }

/** Callers need no credential. */
export const noneMethod: AuthMethod = {
  id: 'none',
  authenticator: (_auth, { settings }) =>
    settings === undefined ? async () => undefined : noAuth(settings as Principal),
  credentials: () => nothing,
}
