import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'

/** Where the instance of a link is. */
export interface LinkPlace {
  readonly session: string
  readonly tenant: string
  readonly instanceId: string
}

/** Signs and reads the tokens of links: the holder of one may act on that one instance, as the owner of its session. */
export interface LinkTokens {
  sign(place: LinkPlace): string
  /** Undefined when this program has not signed it. */
  read(token: string): LinkPlace | undefined
}

export function linkTokens(secret: Uint8Array): LinkTokens {
  if (secret.byteLength < 32) {
    throw new BeachError('INVALID_CONFIGURATION', 'The secret that signs the links of flows needs at least 32 bytes.')
  }
  const key = createSecretKey(secret)
  const signature = (body: string) => createHmac('sha256', key).update(`intentflow-open:${body}`).digest()
  return {
    sign({ session, tenant, instanceId }) {
      const body = Buffer.from(JSON.stringify([session, tenant, instanceId])).toString('base64url')
      return `${body}.${signature(body).toString('base64url')}`
    },
    read(token) {
      const [body, signed, ...rest] = token.split('.')
      if (body === undefined || signed === undefined || rest.length > 0) return undefined
      const given = Buffer.from(signed, 'base64url')
      const expected = signature(body)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      const [session, tenant, instanceId] = JSON.parse(Buffer.from(body, 'base64url').toString()) as string[]
      if (session === undefined || tenant === undefined || instanceId === undefined) return undefined
      return { session, tenant, instanceId }
    },
  }
}
