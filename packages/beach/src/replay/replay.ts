import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError, systemRuntime, type Store } from '@cool-ai/beach-core'
import type { ReplayReport, ReplayRequest } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { AgentSettings } from '../agent-settings.ts'
import type { BeachOptions } from '../beach-options.ts'
import { plainOptions, type PlainOptions } from '../earlier-options.ts'
import { keyServiceOf, openEncryption } from '../encryption.ts'
import { openData } from '../open-data.ts'
import { replayStored } from './replay-stored.ts'

/** A stored session to be run again. */
export interface ReplayOptions extends ReplayRequest {
  /** Ends the replay. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a session from the data of these options again, in memory, and returns what is different. Without changes its
 * models answer as they did, and the log must be the same. With another `model` or other `instructions`, models answer
 * anew. Tools answer from the record in any case; nothing is sent, and nothing is executed outside of the actors.
 */
export async function replay(options: BeachOptions, { signal, ...request }: ReplayOptions): Promise<ReplayReport> {
  const given = plainOptions(options)
  const runtime = given.runtime ?? systemRuntime()
  const opened = given.store === undefined ? await openStored(given) : undefined
  const store = given.store ?? opened?.store
  if (store === undefined) throw new BeachError('INVALID_CONFIGURATION', 'A replay needs `data`, where the session is.')
  try {
    // What else an agent has is of no use here.
    const settings = { tenant: 'default', ...given, runtime, store, secret: given.secret ?? '' } as AgentSettings
    return await replayStored(settings, request, { signal })
  } finally {
    await opened?.close()
  }
}

/** Opens the store alone where that can be done, and creates nothing. */
async function openStored({ folder, agent, secret, encryption, runtime }: PlainOptions) {
  if (folder === undefined || folder === 'memory') {
    const message = 'A replay needs the stored session. Give `data`: the folder or the database of the agent.'
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  if (/^\w+:\/\//.test(folder)) {
    const data = await openData({ store: folder, agent: agent.id, secret, encryption, runtime })
    const close = async () => {
      await data.missives.store.close()
      await data.missives.identities.close()
      await data.artifacts.close?.()
      await data.store.close()
    }
    return { store: data.store, close }
  }
  const path = join(folder, 'beach.db')
  if (!existsSync(path)) throw new BeachError('NOT_FOUND', `There are no sessions in ${folder}: it has no beach.db.`)
  const { SqliteStore } = await import('@cool-ai/beach-session/sqlite')
  const service = await keyServiceOf(encryption)
  const readable: Store = await SqliteStore.open({ path, ...defined({ runtime }) })
  try {
    const store = (await openEncryption(readable, service))?.store ?? readable
    return { store, close: () => store.close() }
  } catch (error) {
    await readable.close()
    throw error
  }
}
