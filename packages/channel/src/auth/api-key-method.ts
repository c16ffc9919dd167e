import { BeachError } from '@cool-ai/beach-core'
import { apiKeyAuth } from './api-key-auth.ts'
import { givenSettings, type AuthMethod } from './auth-method.ts'
import { CachedCredentials } from './cached-credentials.ts'
import { headerName, isHeaderValue } from './header-name.ts'
import { SentCredentials } from './peer-credentials.ts'

/** An API key in the header that the card names. */
export const apiKeyMethod: AuthMethod = {
  id: 'api-key',
  authenticator({ header = '' }, { settings, clock }) {
    const { keys } = givenSettings('api-key', settings)
    return apiKeyAuth({ header, keys, clock })
  },
  credentials({ header }, { peer, secret, clock }) {
    const name = headerName(header)
    return new CachedCredentials(async () => {
      const key = await secret({ header: name })
      if (typeof key !== 'string' || !isHeaderValue(key)) {
        const message = `The API key for the peer '${peer}' is not one that a header can carry.`
        throw new BeachError('INVALID_CONFIGURATION', message)
      }
      return { sent: new SentCredentials({ headers: { [name]: key } }) }
    }, clock)
  },
}
