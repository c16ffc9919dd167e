import { BeachError, isBeachError } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'
import type { CardAuth } from '@cool-ai/beach-protocol/agent-card'
import { z } from 'zod'
import type { CredentialsContext } from './auth-method.ts'
import type { LoadedCredentials } from './cached-credentials.ts'
import { fetchJson, type JsonAnswer } from './fetch-json.ts'
import { isHeaderValue } from './header-name.ts'
import { SentCredentials } from './peer-credentials.ts'
import { privateUrl } from './private-url.ts'
import type { ClientSecret } from './secret-source.ts'
import { failureName, unavailable } from './unavailable.ts'

const timeoutMs = 10_000
/** A token without a lifetime is renewed after this. */
const defaultSeconds = 300
/** A token is renewed so long before its end, so that it does not end on the way. */
const marginMs = 30_000

const clientSecret = z.object({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  tokenEndpoint: z.string().exactOptional(),
  scopes: z.array(z.string().min(1)).readonly().exactOptional(),
  sentBy: z.enum(['header', 'body']).exactOptional(),
  parameters: z.record(z.string(), z.string()).readonly().exactOptional(),
})

const tokenAnswer = z.object({
  access_token: z.string().refine(isHeaderValue),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().optional(),
})

const errorAnswer = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) })

/** Gets an access token by the client-credentials grant; a secret that is a string is the token itself. */
export async function requestToken(auth: CardAuth, context: CredentialsContext): Promise<LoadedCredentials> {
  const inCard = auth.tokenEndpoint
  const wanted = [...new Set([...scopesOf(auth), ...context.requiredScopes])]
  const secret = await context.secret({ scopes: wanted, tokenEndpoint: inCard })
  if (typeof secret === 'string') return { sent: bearer(secret, context) }
  const { success, data: client } = clientSecret.safeParse(secret)
  if (!success) throw wrong(context, 'takes clientId and clientSecret')
  const endpoint = tokenEndpoint(inCard, client, context)
  const asked = { clock: context.clock, fetch: context.fetch, timeoutMs, init: toRequest(client, wanted) }
  const answer = await fetchJson(endpoint, asked).catch((error: unknown) => {
    if (isBeachError(error) && !error.retryable) throw error
    throw unavailable(`The token endpoint for the peer '${context.peer}' does not answer.`, failureName(error))
  })
  return readToken(answer, context)
}

/**
 * Where the client's secret goes. A card is foreign: by itself it can only name an endpoint of its own origin; any
 * other must be configured together with the secret.
 */
function tokenEndpoint(inCard: string | undefined, client: ClientSecret, context: CredentialsContext): string {
  const pinned =
    client.tokenEndpoint && privateUrl(client.tokenEndpoint, 'The tokenEndpoint next to the secret', context.allow).href
  const given = inCard && privateUrl(inCard, `The token endpoint of '${context.peer}'`, context.allow).href
  const endpoint = given ?? pinned
  if (!endpoint) throw wrong(context, 'needs a tokenEndpoint, since the card names none')
  const isOwn = new URL(endpoint).origin === new URL(context.endpoint).origin
  if (pinned === endpoint || (!pinned && isOwn)) return endpoint
  throw wrong(context, `is not for ${endpoint}; if it should be, put that next to it as tokenEndpoint`)
}

function toRequest(
  { clientId, clientSecret: secret, ...client }: ClientSecret,
  inCard: readonly string[],
): RequestInit {
  const { scopes = inCard, sentBy = 'header', parameters = {} } = client
  const body = new URLSearchParams({ ...parameters, grant_type: 'client_credentials' })
  if (scopes.length > 0) body.set('scope', scopes.join(' '))
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
  if (sentBy === 'body') {
    body.set('client_id', clientId)
    body.set('client_secret', secret)
  } else {
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`,
    )
  }
  return { method: 'POST', headers, body: body.toString() }
}

function readToken({ status, value }: JsonAnswer, context: CredentialsContext): LoadedCredentials {
  const { success, data } = tokenAnswer.safeParse(value)
  if (status === 200 && success) {
    const lifeMs = (data.expires_in ?? defaultSeconds) * 1_000
    const until = elapsed(context.clock) + lifeMs - Math.min(marginMs, lifeMs / 2)
    return { sent: bearer(data.access_token, context), until }
  }
  const named = errorAnswer.safeParse(value)
  const reason = named.success ? named.data.error : `HTTP ${status}`
  if (status >= 400 && status < 500 && status !== 429)
    throw wrong(context, `was refused by the token endpoint (${reason})`)
  throw unavailable(`The token endpoint for the peer '${context.peer}' gave no token (${reason}).`, reason)
}

function bearer(token: string, context: CredentialsContext): SentCredentials {
  if (!isHeaderValue(token)) throw wrong(context, 'is a token that a header cannot carry')
  return new SentCredentials({ headers: { authorization: `Bearer ${token}` } })
}

function scopesOf({ scope = [] }: CardAuth): string[] {
  return [scope].flat().flatMap((value) => value.split(/\s+/).filter((word) => word !== ''))
}

// Form-encoded: RFC 6749 wants it so even inside Basic.
function formEncoded(value: string): string {
  return new URLSearchParams({ '': value }).toString().slice(1)
}

function wrong({ peer }: CredentialsContext, problem: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', `The oauth2 secret for the peer '${peer}' ${problem}.`)
}
