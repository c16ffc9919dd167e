import { askToolName, isMcpByHttp } from '@cool-ai/beach-channel/peers'
import { checkScopes } from '@cool-ai/beach-channel/auth'
import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ProtectedResource } from '@cool-ai/beach-mcp'
import type { AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import type { BeachCard } from './beach-options.ts'
import type { PlainOptions } from './earlier-options.ts'
import { ownLanguage } from './own-language.ts'

type Transport = AgentCardInput['transports'][number]
type Auth = NonNullable<Transport['auth']>

/** Placeholder for the agent's address until it listens; a card with it is not served. */
const notKnown = 'http://localhost'

/** The agent's card with all of its transports, and with what each of them requires of its callers. */
export function cardOf(card: BeachCard, options: PlainOptions, address = options.publicUrl): AgentCardInput {
  const transports = (card.transports ?? transportsOf(options, address ?? notKnown)).map((transport) =>
    withAuth(transport, options),
  )
  for (const transport of transports) if (isServed(transport)) checkScopes(transport)
  return { ...card, ...envelopeOf(card, options), transports }
}

/** The language of the agent's llm-context, where its author does not say it: its peers go by that. */
function envelopeOf({ envelope }: BeachCard, options: PlainOptions): Pick<BeachCard, 'envelope'> {
  const added = defined({ llmContextLanguage: ownLanguage(options) })
  return Object.keys(added).length === 0 ? {} : { envelope: { ...envelope, ...added } }
}

/** Whether the card can name the agent's address before it listens. */
export function hasAddress({ card, publicUrl }: PlainOptions): boolean {
  return card?.transports !== undefined || publicUrl !== undefined
}

function isServed(transport: Transport): boolean {
  return transport.protocol === 'a2a' || isMcpByHttp(transport)
}

function transportsOf({ agent, a2a = {}, mcp }: PlainOptions, url: string): readonly Transport[] {
  if (a2a === false) {
    throw wrong('An agent without A2A must say in `card.transports` how it is reached.')
  }
  const address = url.replace(/\/+$/, '')
  const auth = a2a.auth ?? { type: 'none' }
  const bindings = [
    { endpoint: `${address}/a2a`, binding: 'JSONRPC' },
    { endpoint: `${address}/a2a/rest`, binding: 'HTTP+JSON' },
  ]
  const byA2a = ['1.0', '0.3'].flatMap((version) => bindings.map((way) => ({ protocol: 'a2a', version, auth, ...way })))
  if (mcp === false) return byA2a
  const tool = mcp?.tool ?? askToolName(agent.id)
  const byMcp = { protocol: 'mcp', version: 'stable', endpoint: `${address}/mcp`, transport: 'http', tool }
  return [...byA2a, mcp?.auth === undefined ? { ...byMcp, auth } : byMcp]
}

/** The transport with the auth that the options have for it, where it says none itself. */
function withAuth(transport: Transport, { a2a, mcp }: PlainOptions): Transport {
  const defaultAuth = a2a === false ? undefined : a2a?.auth
  const tokens = mcp === false || !isMcpByHttp(transport) ? undefined : mcp?.auth
  if (tokens !== undefined) return withTokens(transport, tokens, defaultAuth)
  if (defaultAuth === undefined || transport.auth !== undefined || !isServed(transport)) return transport
  return { ...transport, auth: defaultAuth }
}

/** The transport of an agent whose MCP clients need access tokens. */
function withTokens(transport: Transport, tokens: ProtectedResource, defaultAuth: Auth | undefined): Transport {
  const auth = transport.auth ?? tokenAuth(tokens, defaultAuth)
  if (auth.type !== 'oauth2') {
    throw wrong(
      `The card's MCP transport names '${auth.type}', and \`mcp.auth\` asks for access tokens. Change one of the two.`,
    )
  }
  const requiredScopes = [...new Set([...(transport.requiredScopes ?? []), ...(tokens.requiredScopes ?? [])])]
  return { ...transport, auth, ...(requiredScopes.length > 0 && { requiredScopes }) }
}

function tokenAuth({ tokenEndpoint }: ProtectedResource, defaultAuth: Auth | undefined): Auth {
  if (tokenEndpoint !== undefined) return { type: 'oauth2', tokenEndpoint }
  if (defaultAuth?.type === 'oauth2') return defaultAuth
  throw wrong('The card must name where the access tokens for `mcp.auth` come from. Give `mcp.auth.tokenEndpoint`.')
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
