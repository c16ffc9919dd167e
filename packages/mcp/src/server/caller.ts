import type { CallerCard } from '@cool-ai/beach-channel/cards'
import type { Principal } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import type { AuthInfo } from '@modelcontextprotocol/server'

/**
 * Who sends MCP requests, with what its card says, where it names one. Without a principal each conversation belongs to a
 * guest of its own.
 */
export interface Caller extends Partial<CallerCard> {
  readonly principal?: Principal | undefined
  /** Where the caller comes from, as far as that is known. */
  readonly network?: string | undefined
  /** The ids of the agents that the request has come through, by what it says itself. */
  readonly via?: readonly string[]
  /** Where its Agent Card is, by what the request says itself. */
  readonly card?: string
}

/** The caller as the SDK carries it from the endpoint to the handlers. */
export function toAuthInfo({ principal, network }: Caller): AuthInfo {
  return {
    token: '',
    clientId: principal === undefined ? '' : principalKey(principal),
    scopes: [...(principal?.scopes ?? [])],
    extra: { principal, network },
  }
}

/** The caller that the endpoint has let in. */
export function callerOf(authInfo: AuthInfo | undefined): Caller {
  const { principal, network } = (authInfo?.extra ?? {}) as { principal?: Principal; network?: string }
  return { principal, network }
}
