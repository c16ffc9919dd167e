import { BeachError, systemRuntime, type Runtime } from '@cool-ai/beach-core'
import type { Page } from '@cool-ai/beach-core/ports'
import {
  encodeKey,
  escapeNull,
  unescapeNull,
  type PostgresDatabase,
  type Transaction,
} from '@cool-ai/beach-core/postgres'
import { isOver } from '@cool-ai/beach-core/runtime'
import type { Address } from '../identities/address.ts'
import {
  codeMs,
  maxAddresses,
  maxTries,
  type IdentityEvent,
  type IdentityStore,
  type JoinLimits,
  type PendingJoin,
  type Person,
  type TriedCode,
} from '../identities/identity-store.ts'
import { withoutAddresses } from '../identities/memory-identity-store.ts'
import { pageLimit, pageOf } from '../missives/missive-page.ts'
import { digest } from './digest.ts'
import { IdentityLocks } from './identity-locks.ts'
import { identityStatements, type IdentityStatements } from './identity-statements.ts'
import { identityTables } from './identity-tables.ts'

/** Whose clock and ids a store of identities has. */
export interface PostgresIdentityStoreOptions {
  readonly database: PostgresDatabase
  readonly runtime?: Runtime | undefined
}

/** How far the clocks of two machines may be apart without a join being overlooked. */
const clockSkewMs = 60_000

/** What an operation does within its transaction. */
interface Operation {
  /** Its token. */
  readonly id: string
  readonly tenant: string
  readonly rows: Transaction['rows']
  readonly locks: IdentityLocks
  /** Notes the event, by which the operation is found to be done. */
  readonly note: (event: IdentityEvent) => Promise<void>
}

/** Identities in a PostgreSQL database, for any number of processes. Nothing else has what is in it: back it up. */
export class PostgresIdentityStore implements IdentityStore {
  readonly #database: PostgresDatabase
  readonly #runtime: Runtime
  readonly #sql: IdentityStatements
  #closed = false

  /** Opens the store in a database, and makes its tables if they are missing. */
  static async open(options: PostgresIdentityStoreOptions): Promise<PostgresIdentityStore> {
    const { database, runtime = systemRuntime() } = options
    await database.use(identityTables)
    return new PostgresIdentityStore(database, runtime)
  }

  private constructor(database: PostgresDatabase, runtime: Runtime) {
    this.#database = database
    this.#runtime = runtime
    this.#sql = identityStatements(database.schema)
  }

  async personOf(tenant: string, address: Address): Promise<Person | undefined> {
    this.#open()
    const rows = await this.#database.rows(this.#sql.personOf, [encodeKey(tenant), digest(address)])
    const [first] = rows
    return first && { personId: String(first.person), addresses: addressesIn(rows) }
  }

  join(
    tenant: string,
    addresses: readonly Address[],
    event: IdentityEvent,
    personId: string,
  ): Promise<Person | undefined> {
    return this.#operate<Person | undefined>(tenant, [...addresses, ...namedIn(event)], async (operation) => {
      const keys = addresses.map((address) => digest(address))
      const known = await operation.locks.personsOf(operation.tenant, keys)
      const theirs = await operation.rows(this.#sql.addresses, [operation.tenant, known])
      const all = new Map([
        ...addresses.map((address): [string, Address] => [digest(address), address]),
        ...addressesIn(theirs).map((address): [string, Address] => [digest(address), address]),
      ])
      if (all.size > maxAddresses) return undefined
      const kept = known[0] ?? personId
      const texts = [...all.values()].map(escapeNull)
      await operation.rows(this.#sql.set, [operation.tenant, [...all.keys()], texts, kept])
      const person = { personId: kept, addresses: addressesIn(await this.#ofPerson(operation, kept)) }
      await operation.note(event)
      return person
    })
  }

  split(tenant: string, address: Address, event: IdentityEvent): Promise<boolean> {
    return this.#operate(tenant, [address, ...namedIn(event)], async (operation) => {
      const isSplit = await this.#remove(operation, [address])
      if (isSplit) await operation.note(event)
      return isSplit
    })
  }

  openJoin(tenant: string, join: PendingJoin, limits: JoinLimits, event: IdentityEvent): Promise<boolean> {
    const { from, to, codeHash, startedAt, expiresAt } = join
    return this.#operate(tenant, [from, to, ...namedIn(event)], async (operation) => {
      const { rows } = operation
      const [now, since] = [Math.floor(startedAt), Math.floor(limits.since)]
      const both = [operation.tenant, digest(from), digest(to)]
      const [count] = await rows(this.#sql.countStarted, [...both, since, now + clockSkewMs])
      if (Number(count?.sent) >= limits.maxPerSender || Number(count?.received) >= limits.maxPerTarget) return false
      await rows(this.#sql.started, [...both, now])
      const texts = [escapeNull(from), escapeNull(to), codeHash]
      await rows(this.#sql.openJoin, [...both, ...texts, Math.floor(expiresAt)])
      await operation.note(event)
      // Last, and past what others have locked: rows of other addresses are held for a moment only, and none is waited for.
      await rows(this.#sql.forgetStarted, [since])
      await rows(this.#sql.forgetExpired, [now])
      return true
    })
  }

  tryCode(tenant: string, from: Address, codeHash: string, now: number, refused: IdentityEvent): Promise<TriedCode> {
    return this.#operate<TriedCode>(tenant, [from, ...namedIn(refused)], async (operation) => {
      const { rows } = operation
      const key = [operation.tenant, digest(from)]
      const [row] = await rows(this.#sql.joinOf, key)
      const until = Number(row?.expires_at)
      const isMine = row?.used_by === operation.id
      const isGone = row === undefined || row.used_by !== null || Number(row.tries) >= maxTries
      if (!isMine && (isGone || isOver({ since: until - codeMs, until }, now))) return { outcome: 'none' }
      if (row?.code_hash === codeHash) {
        await rows(this.#sql.used, [...key, operation.id])
        return { outcome: 'right', to: unescapeNull(String(row.receiver)) }
      }
      const outcome = { outcome: 'wrong', triesLeft: maxTries - Number(row?.tries) - 1 } as const
      await rows(this.#sql.tried, key)
      await operation.note(refused)
      return outcome
    })
  }

  async erase(tenant: string, addresses: readonly Address[], event: IdentityEvent): Promise<void> {
    const gone = new Set(addresses)
    await this.#operate(tenant, [...gone, ...namedIn(event)], async (operation) => {
      const keys = [...gone].map((address) => digest(address))
      await this.#remove(operation, [...gone])
      await operation.rows(this.#sql.forgetJoins, [operation.tenant, keys])
      await operation.rows(this.#sql.forgetStartedOf, [operation.tenant, keys])
      for (const { id, about } of await operation.rows(this.#sql.eventsNaming, [operation.tenant, keys])) {
        const left = withoutAddresses(JSON.parse(String(about)) as IdentityEvent, gone)
        await operation.rows(this.#sql.setEvent, [id, JSON.stringify(left), digests(namedIn(left))])
      }
      await operation.note(event)
      return true
    })
  }

  async events(tenant: string, after?: string, limit?: number): Promise<Page<IdentityEvent>> {
    this.#open()
    const max = pageLimit(limit)
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      throw new BeachError('BAD_REQUEST', 'That page does not exist. Use the `next` value of the page before.')
    }
    const start = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
    const rows = await this.#database.rows(this.#sql.events, [encodeKey(tenant), start, max + 1])
    return pageOf(
      rows,
      max,
      ({ about }) => JSON.parse(String(about)) as IdentityEvent,
      ({ id }) => String(id),
    )
  }

  async check(): Promise<void> {
    this.#open()
    await this.#database.check()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#database.close()
  }

  /** Runs an operation under the locks of the addresses that it names; what was done before is not done again. */
  async #operate<Outcome>(
    tenant: string,
    addresses: readonly Address[],
    run: (operation: Operation) => Promise<Outcome>,
  ): Promise<Outcome> {
    this.#open()
    const id = this.#runtime.id('operation')
    const key = encodeKey(tenant)
    let before: { readonly outcome: Outcome } | undefined
    return this.#database.transaction(async (transaction) => {
      const { rows } = transaction
      const locks = new IdentityLocks(transaction, this.#sql, [this.#database.schema, tenant])
      await locks.addresses(digests(addresses))
      // It ran before, and whether that was committed is not known.
      if (before !== undefined && (await rows(this.#sql.isDone, [key, id])).length > 0) return before.outcome
      const note: Operation['note'] = async (event) => {
        await rows(this.#sql.note, [key, JSON.stringify(event), digests(namedIn(event)), id])
        await rows(this.#sql.forgetEvents, [key])
      }
      before = { outcome: await run({ id, tenant: key, rows, locks, note }) }
      return before.outcome
    })
  }

  /** Takes addresses from their persons; a person with one address left is none: that address stands alone. */
  async #remove(operation: Operation, addresses: readonly Address[]): Promise<boolean> {
    const keys = addresses.map((address) => digest(address))
    const persons = await operation.locks.personsOf(operation.tenant, keys)
    if (persons.length === 0) return false
    await operation.rows(this.#sql.remove, [operation.tenant, keys])
    for (const person of persons) {
      const left = await this.#ofPerson(operation, person)
      if (left.length === 1) await operation.rows(this.#sql.remove, [operation.tenant, [left[0]?.key]])
    }
    return true
  }

  #ofPerson({ tenant, rows }: Operation, person: string) {
    return rows(this.#sql.addresses, [tenant, [person]])
  }

  #open(): void {
    if (this.#closed) throw new BeachError('STORE_CLOSED', 'The store is closed.')
  }
}

function namedIn({ addresses, by }: IdentityEvent): Address[] {
  return by === undefined ? [...addresses] : [...addresses, by]
}

function digests(addresses: readonly Address[]): string[] {
  return [...new Set(addresses.map((address) => digest(address)))]
}

function addressesIn(rows: readonly Readonly<Record<string, unknown>>[]): Address[] {
  return rows.map(({ address }) => unescapeNull(String(address)))
}
