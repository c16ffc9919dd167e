import { givenSettings, type AuthMethod } from './auth-method.ts'
import { CachedCredentials } from './cached-credentials.ts'
import { requestToken } from './client-credentials.ts'
import { oauth2Auth } from './oauth2-auth.ts'

/** An access token: checked by the issuer's keys, and had from the token endpoint that the card names. */
export const oauth2Method: AuthMethod = {
  id: 'oauth2',
  authenticator: (_auth, { settings, fetch, allow, clock }) =>
    oauth2Auth({ ...givenSettings('oauth2', settings), clock, allow, fetch }),
  credentials: (auth, context) => new CachedCredentials(() => requestToken(auth, context), context.clock),
}
