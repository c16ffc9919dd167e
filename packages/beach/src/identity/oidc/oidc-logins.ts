import { createHash } from 'node:crypto'
import type { Principal, Store } from '@cool-ai/beach-core'
import type { JWTPayload } from 'jose'
import type { Revocations } from '../revocations.ts'
import { oidcPrefix } from './oidc-prefix.ts'

/** Which logins of the agent came of which session at the provider: by digests, for the keys outlive a person's data. */
export class OidcLogins {
  readonly #store: Pick<Store, 'bind' | 'list' | 'unbind'>
  readonly #revocations: Pick<Revocations, 'revoke'>

  constructor(store: Pick<Store, 'bind' | 'list' | 'unbind'>, revocations: Pick<Revocations, 'revoke'>) {
    this.#store = store
    this.#revocations = revocations
  }

  /** False for an answer of the provider that was used before, here or in another process. */
  async isFirstUse(state: string, use: string): Promise<boolean> {
    return (await this.#store.bind(`${oidcPrefix}used:${digest(state)}`, use)) === use
  }

  async remember(claims: JWTPayload, login: string, { tenant }: Principal): Promise<void> {
    for (const prefix of prefixesOf(claims)) await this.#store.bind(prefix + login, tenant)
  }

  /** Ends the logins that a logout token of the provider names; those of one session where it names one. */
  async end(claims: JWTPayload): Promise<number> {
    const [prefix] = prefixesOf(claims)
    const all = prefix === undefined ? [] : await this.#store.list(prefix)
    for (const { key, value: tenant } of all) {
      await this.#revocations.revoke({ id: key.slice(key.lastIndexOf(':') + 1) }, { tenant, by: 'oidc' })
      await this.#store.unbind(key)
    }
    return all.length
  }
}

/** That of the provider's session comes first. */
function prefixesOf({ iss = '', sid, sub }: JWTPayload): string[] {
  return [
    ...(typeof sid === 'string' ? [`${oidcPrefix}sid:${digest(`${iss}\n${sid}`)}:`] : []),
    ...(sub === undefined ? [] : [`${oidcPrefix}sub:${digest(`${iss}\n${sub}`)}:`]),
  ]
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32)
}
