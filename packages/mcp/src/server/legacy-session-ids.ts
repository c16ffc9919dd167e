import type { Runtime } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { hmacOf, isHmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { isInitializeRequest, type InitializeRequest } from '@modelcontextprotocol/server'
import type { Caller } from './caller.ts'

const maxCharacters = 1_500
const prefix = 'mcp_'
const purpose = 'beach-mcp-session '

/**
 * Ids of sessions, each with what its client has said of itself, signed: another process of the agent, or the next one,
 * goes on with a session that it has not begun.
 */
export class LegacySessionIds {
  readonly #runtime: Runtime
  readonly #keys: ReturnType<typeof secretKeys>

  constructor(runtime: Runtime, secret: Secret) {
    this.#runtime = runtime
    this.#keys = secretKeys(secret)
  }

  /** An id for a new session. A client that says very much of itself has one that only this process knows. */
  mint({ params }: InitializeRequest, caller: Caller): string {
    const unique = this.#runtime.id('mcp')
    const { protocolVersion, capabilities, clientInfo } = params
    const { name, version } = clientInfo
    const said = { protocolVersion, capabilities, clientInfo: { name, version } }
    const text = Buffer.from(JSON.stringify([unique, ownerOf(caller), said])).toString('base64url')
    if (text.length > maxCharacters) return unique
    return `${prefix}${text}.${hmacOf(this.#keys[0], purpose + text).toString('base64url')}`
  }

  /** The request that began the session of this id; undefined unless it was begun here, by the same caller. */
  read(id: string, caller: Caller): InitializeRequest | undefined {
    const [text = '', signature = ''] = id.slice(prefix.length).split('.')
    if (!isHmacOf(this.#keys, purpose + text, Buffer.from(signature, 'base64url'))) return undefined
    const [, owner, params] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string, unknown]
    const request = { jsonrpc: '2.0', id: 'again', method: 'initialize', params }
    return owner === ownerOf(caller) && isInitializeRequest(request) ? request : undefined
  }
}

function ownerOf({ principal }: Caller): string {
  return principal === undefined ? '' : `${principal.tenant} ${principalKey(principal)}`
}
