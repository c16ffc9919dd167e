import type { Principal, Store } from '@cool-ai/beach-core'
import type { Address } from '../identities/address.ts'
import { ownersAt } from './memories.ts'
import { MemoryLog, memoryKeys, type MemoryOwner } from './memory-log.ts'

/** Erases what is remembered of the principals among some addresses; returns of how many there was something. */
export async function eraseMemories(store: Store, addresses: readonly Address[], tenant: string): Promise<number> {
  let count = 0
  for (const owner of ownersAt(addresses, tenant)) if (await new MemoryLog(store, owner).drop()) count++
  return count
}

/** Erases what was said in a session from what is remembered of its owner. */
export async function eraseRemembered(store: Store, owner: Principal, session: string): Promise<void> {
  const log = new MemoryLog(store, owner)
  const { entries } = await log.load()
  await log.erase(entries.filter(({ sessionId }) => sessionId === session).map(({ seq }) => seq))
}

/** Whose memory a key tells of; undefined for other keys. */
export function memoryOwnerOf(key: string): MemoryOwner | undefined {
  if (!key.startsWith(memoryKeys)) return undefined
  const [tenant = '', principal = ''] = key.slice(memoryKeys.length).split(':')
  return ownersAt([`principal:${principal}`], decodeURIComponent(tenant))[0]
}
