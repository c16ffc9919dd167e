import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import OpenIdProvider from 'oidc-provider'
import { onTestFinished } from 'vitest'

export const client = { id: 'beach', secret: 'a secret of the client, long enough' }
export const program = { id: 'reports', secret: 'a secret of the program, long enough' }
export const api = 'https://clerk.example/api'

/** A stock OpenID provider on loopback, with its own pages for signing in. It begins to answer once it knows the agent. */
export async function stockProvider(): Promise<{ issuer: string; knows: (agent: string) => Promise<void> }> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  return {
    issuer,
    async knows(agent) {
      answer = new OpenIdProvider(issuer, configuration(agent, jwk)).callback()
    },
  }
}

function configuration(agent: string, jwk: object): Record<string, unknown> {
  return {
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of the cookies'] },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${agent}/login/callback`],
        post_logout_redirect_uris: [`${agent}/`],
        backchannel_logout_uri: `${agent}/login/ended`,
        backchannel_logout_session_required: true,
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: program.id,
        client_secret: program.secret,
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    // Its own refuses addresses of the machine itself.
    fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) => fetch(url, init),
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['groups'] },
    /** Whoever is called after a role has it. */
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, groups: [id.split('-')[0]] }),
    }),
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => api,
        getResourceServerInfo: () => ({
          audience: api,
          scope: 'orders:read',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    ttl: { AccessToken: 300, Grant: 3_600, IdToken: 300, Interaction: 3_600, Session: 3_600, ClientCredentials: 300 },
  }
}
