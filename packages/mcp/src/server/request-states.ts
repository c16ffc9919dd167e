import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server'

const stateSeconds = 24 * 60 * 60

/** Signs and reads the states of unfinished calls, which their callers keep: the first secret signs, all verify. */
export function requestStates<State>(secret: Secret): RequestStateCodec<State> {
  const codecs = secretKeys(secret).map((key) =>
    createRequestStateCodec<State>({
      key: hmacOf(key, 'beach-mcp-request-state'),
      ttlSeconds: stateSeconds,
      bind: ({ http }) => http?.authInfo?.clientId ?? '',
    }),
  )
  const [signing, ...others] = codecs
  if (signing === undefined) throw new TypeError('There is no key.')
  return {
    mint: (state, context) => signing.mint(state, context),
    async verify(state, context) {
      for (const codec of others) {
        const found = await codec.verify(state, context).catch(() => undefined)
        if (found !== undefined) return found
      }
      return signing.verify(state, context)
    },
  }
}
