import { createHash } from 'node:crypto'
import type { Transaction } from '@cool-ai/beach-core/postgres'
import type { IdentityStatements } from './identity-statements.ts'

/**
 * Locks of one transaction on addresses and persons of a tenant. Every operation locks the addresses that it names
 * first, and then the persons that they are of, each in one order for all processes. An address that stands alone gets
 * a person only under its own lock; which addresses a person has changes only under that person's lock.
 */
export class IdentityLocks {
  readonly #transaction: Transaction
  readonly #sql: IdentityStatements
  readonly #scope: readonly string[]
  readonly #held = new Set<string>()

  constructor(transaction: Transaction, sql: IdentityStatements, scope: readonly string[]) {
    this.#transaction = transaction
    this.#sql = sql
    this.#scope = scope
  }

  addresses(keys: Iterable<string>): Promise<void> {
    return this.#lock('address', keys)
  }

  /** Locks the persons of addresses, by their keys, and gives them in the order of the keys. */
  async personsOf(tenant: string, keys: readonly string[]): Promise<string[]> {
    for (;;) {
      const rows = await this.#transaction.rows(this.#sql.persons, [tenant, keys])
      const persons = new Map(rows.map(({ key, person }) => [String(key), String(person)]))
      const found = [...new Set(keys.flatMap((key) => persons.get(key) ?? []))]
      // While this transaction waited for one, it may have become another.
      if (found.every((person) => this.#held.has(`person ${person}`))) return found
      await this.#lock('person', found)
    }
  }

  async #lock(kind: 'address' | 'person', names: Iterable<string>): Promise<void> {
    const added = [...new Set(names)].filter((name) => !this.#held.has(`${kind} ${name}`))
    const numbers = added.map((name) => numberOf([...this.#scope, kind, name]))
    const sorted = numbers.toSorted((one, other) => (one < other ? -1 : 1))
    await this.#transaction.rows(this.#sql.lock, [sorted.map(String)])
    for (const name of added) this.#held.add(`${kind} ${name}`)
  }
}

/** The number of an advisory lock. */
function numberOf(names: readonly string[]): bigint {
  return createHash('sha256').update(JSON.stringify(names)).digest().readBigInt64BE()
}
