import { hmacOf, isHmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'

/** Where the instance of a link is. */
export interface LinkTarget {
  readonly session: string
  readonly tenant: string
  readonly instanceId: string
}

/** Signs and reads the tokens of links: the holder of one may act on that one instance, as the owner of its session. */
export interface LinkTokens {
  sign(place: LinkTarget): string
  /** Undefined when this program has not signed it. */
  read(token: string): LinkTarget | undefined
}

/** Not JWTs: the readable form of a part, where links stand, is made without waiting, and jose signs asynchronously. */
export function linkTokens(secret: Secret): LinkTokens {
  const keys = secretKeys(secret)
  const signed = (body: string) => `intentflow-open:${body}`
  return {
    sign({ session, tenant, instanceId }) {
      const body = Buffer.from(JSON.stringify([session, tenant, instanceId])).toString('base64url')
      return `${body}.${hmacOf(keys[0], signed(body)).toString('base64url')}`
    },
    read(token) {
      const [body, signature, ...rest] = token.split('.')
      if (body === undefined || signature === undefined || rest.length > 0) return undefined
      if (!isHmacOf(keys, signed(body), Buffer.from(signature, 'base64url'))) return undefined
      const [session, tenant, instanceId] = JSON.parse(Buffer.from(body, 'base64url').toString()) as string[]
      if (session === undefined || tenant === undefined || instanceId === undefined) return undefined
      return { session, tenant, instanceId }
    },
  }
}
