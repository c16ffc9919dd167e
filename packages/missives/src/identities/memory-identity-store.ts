import type { Page } from '@cool-ai/beach-core/ports'
import { isOver } from '@cool-ai/beach-core/runtime'
import { pageLimit } from '../missives/missive-page.ts'
import type { Address } from './address.ts'
import {
  maxAddresses,
  maxEvents,
  maxTries,
  type IdentityEvent,
  type IdentityStore,
  type JoinLimits,
  type PendingJoin,
  type Person,
  type TriedCode,
} from './identity-store.ts'

interface Tenant {
  readonly persons: Map<Address, string>
  readonly joins: Map<Address, PendingJoin & { tries: number }>
  started: Pick<PendingJoin, 'from' | 'to' | 'startedAt'>[]
  events: IdentityEvent[]
}

/** Identities that end with the process; for tests and first tries. */
export class MemoryIdentityStore implements IdentityStore {
  readonly #tenants = new Map<string, Tenant>()

  async personOf(tenant: string, address: Address): Promise<Person | undefined> {
    const { persons } = this.#tenant(tenant)
    const personId = persons.get(address)
    return personId === undefined ? undefined : { personId, addresses: addressesOf(persons, personId) }
  }

  async join(
    tenant: string,
    addresses: readonly Address[],
    event: IdentityEvent,
    personId: string,
  ): Promise<Person | undefined> {
    const { persons, events } = this.#tenant(tenant)
    const known = addresses.flatMap((address) => persons.get(address) ?? [])
    const all = new Set([...addresses, ...known.flatMap((id) => addressesOf(persons, id))])
    if (all.size > maxAddresses) return undefined
    const kept = known[0] ?? personId
    for (const address of all) persons.set(address, kept)
    note(events, event)
    return { personId: kept, addresses: addressesOf(persons, kept) }
  }

  async split(tenant: string, address: Address, event: IdentityEvent): Promise<boolean> {
    const { persons, events } = this.#tenant(tenant)
    if (!remove(persons, address)) return false
    note(events, event)
    return true
  }

  async openJoin(tenant: string, join: PendingJoin, limits: JoinLimits, event: IdentityEvent): Promise<boolean> {
    const known = this.#tenant(tenant)
    known.started = known.started.filter(({ startedAt }) => startedAt > limits.since && startedAt <= join.startedAt)
    const from = known.started.filter((one) => one.from === join.from).length
    const to = known.started.filter((one) => one.to === join.to).length
    if (from >= limits.maxPerSender || to >= limits.maxPerTarget) return false
    for (const [one, { expiresAt }] of known.joins) if (expiresAt <= join.startedAt) known.joins.delete(one)
    known.started.push(join)
    known.joins.set(join.from, { ...join, tries: 0 })
    note(known.events, event)
    return true
  }

  async tryCode(
    tenant: string,
    from: Address,
    codeHash: string,
    now: number,
    refused: IdentityEvent,
  ): Promise<TriedCode> {
    const { joins, events } = this.#tenant(tenant)
    const join = joins.get(from)
    if (join === undefined || isOver({ since: join.startedAt, until: join.expiresAt }, now)) return { outcome: 'none' }
    if (join.codeHash === codeHash) {
      joins.delete(from)
      return { outcome: 'right', to: join.to }
    }
    join.tries++
    note(events, refused)
    if (join.tries >= maxTries) joins.delete(from)
    return { outcome: 'wrong', triesLeft: maxTries - join.tries }
  }

  async erase(tenant: string, addresses: readonly Address[], event: IdentityEvent): Promise<void> {
    const known = this.#tenant(tenant)
    const gone = new Set(addresses)
    for (const address of gone) remove(known.persons, address)
    for (const [from, { to }] of known.joins) if (gone.has(from) || gone.has(to)) known.joins.delete(from)
    known.started = known.started.filter(({ from, to }) => !gone.has(from) && !gone.has(to))
    known.events = known.events.map((old) => withoutAddresses(old, gone))
    note(known.events, event)
  }

  async events(tenant: string, after?: string, limit?: number): Promise<Page<IdentityEvent>> {
    const { events } = this.#tenant(tenant)
    const max = pageLimit(limit)
    const end = after === undefined ? events.length : Number(after)
    const items = events.slice(Math.max(end - max, 0), end).toReversed()
    return end > max ? { items, next: String(end - max) } : { items }
  }

  async close(): Promise<void> {}

  #tenant(tenant: string): Tenant {
    const known = this.#tenants.get(tenant) ?? { persons: new Map(), joins: new Map(), started: [], events: [] }
    this.#tenants.set(tenant, known)
    return known
  }
}

function note(events: IdentityEvent[], event: IdentityEvent): void {
  events.push(event)
  if (events.length > maxEvents) events.splice(0, events.length - maxEvents)
}

/** What is left of an event that names an erased person. */
export function withoutAddresses(event: IdentityEvent, gone: ReadonlySet<Address>): IdentityEvent {
  const { by, ...rest } = event
  const isGone = event.addresses.some((address) => gone.has(address)) || (by !== undefined && gone.has(by))
  if (!isGone) return event
  const addresses = event.addresses.filter((address) => !gone.has(address))
  return { ...rest, addresses, by: by !== undefined && gone.has(by) ? undefined : by }
}

function addressesOf(persons: ReadonlyMap<Address, string>, personId: string): Address[] {
  return [...persons].flatMap(([address, id]) => (id === personId ? [address] : [])).toSorted()
}

/** A person with one address left is no person any more: that address stands alone. */
function remove(persons: Map<Address, string>, address: Address): boolean {
  const personId = persons.get(address)
  if (personId === undefined) return false
  persons.delete(address)
  const [only, ...others] = addressesOf(persons, personId)
  if (only !== undefined && others.length === 0) persons.delete(only)
  return true
}
