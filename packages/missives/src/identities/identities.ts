import { createHash } from 'node:crypto'
import { BeachError, type Principal, type Runtime } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import { parseAddress, principalAddress, type Address } from './address.ts'
import { codeMs, maxAddresses, type IdentityEvent, type IdentityStore, type Person } from './identity-store.ts'

/** Sends a code to an address: by mail, as a text message. It must not be shown elsewhere. */
export type SendCode = (
  to: Address,
  code: string,
  about: { readonly from: Address; readonly expiresAt: number },
) => Promise<void>

/** Where identities are kept, and how they are joined. */
export interface IdentitiesOptions {
  readonly store: IdentityStore
  readonly runtime: Runtime
  /** Without it addresses are joined by operators only. */
  readonly sendCode?: SendCode | undefined
}

/** All addresses of the same person; `personId` only when there are several. */
export interface Identity extends Omit<Person, 'personId'> {
  readonly personId?: string
}

const hourMs = 60 * 60 * 1_000
const codeLength = 8

/**
 * One person, several addresses. Two addresses are joined only when a person has proven that both are theirs, by a code
 * that was sent to one and entered from the other, or when an operator says so.
 */
export class Identities {
  readonly #store: IdentityStore
  readonly #runtime: Runtime
  readonly #sendCode: SendCode | undefined

  constructor(options: IdentitiesOptions) {
    this.#store = options.store
    this.#runtime = options.runtime
    this.#sendCode = options.sendCode
  }

  async of(address: Address, tenant: string): Promise<Identity> {
    const plain = parseAddress(address)
    return (await this.#store.personOf(tenant, plain)) ?? { addresses: [plain] }
  }

  /**
   * Sends a code to an address that the person at `from` claims too. The caller vouches that the request
   * really comes from the person at `from`.
   */
  async startJoin(join: { from: Address; to: Address; tenant: string }): Promise<{ expiresAt: number }> {
    const [from, to] = [parseAddress(join.from), parseAddress(join.to)]
    const { tenant } = join
    if (this.#sendCode === undefined) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        'There is no way to send codes. Give createBeach `missives.sendCode`, or let an operator join the addresses.',
      )
    }
    if (from === to) throw new BeachError('BAD_REQUEST', 'An address cannot be joined with itself.')
    const now = this.#runtime.clock.now()
    const code = this.#runtime.id('code').slice('code_'.length, 'code_'.length + codeLength)
    const open = { from, to, codeHash: hashOf(tenant, from, code), startedAt: now, expiresAt: now + codeMs }
    const limits = { since: now - hourMs, maxPerSender: 10, maxPerTarget: 5 }
    const event: IdentityEvent = { at: now, kind: 'joinStarted', by: from, addresses: [from, to], how: 'code' }
    if (!(await this.#store.openJoin(tenant, open, limits, event))) {
      throw new BeachError('TOO_MANY', 'Too many codes were sent for this address. Try again in an hour.')
    }
    await this.#sendCode(to, code, { from, expiresAt: open.expiresAt })
    return { expiresAt: open.expiresAt }
  }

  /** Joins, by the code that the person at `from` has entered. */
  async confirmJoin(given: { from: Address; code: string; tenant: string }): Promise<Person> {
    const { tenant } = given
    const from = parseAddress(given.from)
    const at = this.#runtime.clock.now()
    const hash = hashOf(tenant, from, given.code)
    const refused: IdentityEvent = { at, kind: 'codeRefused', by: from, addresses: [from], how: 'code' }
    const tried = await this.#store.tryCode(tenant, from, hash, at, refused)
    if (tried.outcome === 'none') {
      throw new BeachError('EXPIRED', 'No code is open for this address, or it has expired. Ask for a new one.')
    }
    if (tried.outcome === 'wrong') {
      const advice = tried.triesLeft === 0 ? 'Ask for a new one.' : `It can be tried ${tried.triesLeft} more times.`
      throw new BeachError('FORBIDDEN', `This is not the code that was sent. ${advice}`)
    }
    return this.#join(tenant, [from, tried.to], {
      at,
      kind: 'joined',
      by: from,
      addresses: [from, tried.to],
      how: 'code',
    })
  }

  /** Joins addresses because an operator says that they are one person's. */
  async join(addresses: readonly Address[], by: Principal): Promise<Person> {
    operatorsOnly(by)
    const plain = [...new Set(addresses.map(parseAddress))]
    if (plain.length < 2) throw new BeachError('BAD_REQUEST', 'Name at least two addresses to join.')
    const at = this.#runtime.clock.now()
    const event: IdentityEvent = { at, kind: 'joined', by: principalAddress(by), addresses: plain, how: 'operator' }
    return this.#join(by.tenant, plain, event)
  }

  /** Takes an address from its person again: for operators, and for that person. False when it stood alone. */
  async split(address: Address, by: Principal): Promise<boolean> {
    const plain = parseAddress(address)
    const mine = await this.of(principalAddress(by), by.tenant)
    if (by.kind !== 'operator' && !mine.addresses.includes(plain)) {
      throw new BeachError('FORBIDDEN', 'Only an operator, or the person whose address it is, can do this.')
    }
    const at = this.#runtime.clock.now()
    const event: IdentityEvent = { at, kind: 'split', by: principalAddress(by), addresses: [plain] }
    return this.#store.split(by.tenant, plain, event)
  }

  /** The changes of identities, newest first. For operators. */
  async events(query: { after?: string; limit?: number }, by: Principal): Promise<Page<IdentityEvent>> {
    operatorsOnly(by)
    return this.#store.events(by.tenant, query.after, query.limit)
  }

  /** Forgets addresses, for good. */
  erase(tenant: string, addresses: readonly Address[]): Promise<void> {
    return this.#store.erase(tenant, addresses, { at: this.#runtime.clock.now(), kind: 'erased', addresses: [] })
  }

  async #join(tenant: string, addresses: readonly Address[], event: IdentityEvent): Promise<Person> {
    const person = await this.#store.join(tenant, addresses, event, this.#runtime.id('person'))
    if (person !== undefined) return person
    throw new BeachError('TOO_MANY', `A person has at most ${maxAddresses} addresses. Split some first.`)
  }
}

function operatorsOnly(by: Principal): void {
  if (by.kind !== 'operator') throw new BeachError('FORBIDDEN', 'Only operators can do this.')
}

/** Codes are read and typed by people: case, spaces and hyphens do not matter. */
function hashOf(tenant: string, from: Address, code: string): string {
  const plain = code.slice(0, 100).toLowerCase().replaceAll(/[\s-]/g, '')
  return createHash('sha256')
    .update(JSON.stringify(['join-code', tenant, from, plain]))
    .digest('hex')
}
