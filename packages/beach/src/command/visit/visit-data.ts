import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AuditLog } from '@cool-ai/beach-channel/audit'
import { BeachError, systemRuntime, type Principal, type Store } from '@cool-ai/beach-core'
import { Missives } from '@cool-ai/beach-missives'
import { SessionTurnManager } from '@cool-ai/beach-session'
import { Revocations } from '../../identity/revocations.ts'
import { isUrl } from '../../data/moving/postgres-data.ts'
import { plainOptions } from '../../earlier-options.ts'
import { openData } from '../../open-data.ts'
import { registriesOf } from '../../registries.ts'
import { dataFor } from '../data/data-choice.ts'
import { findConfig, loadConfig } from '../config/load-config.ts'
import { visitingStore } from './visiting-store.ts'

/** Sessions and missives of an agent's data, opened while the agent runs, or while it does not. */
export interface VisitedData {
  readonly sessions: SessionTurnManager
  readonly missives: Missives
  readonly revocations: Revocations
  readonly audit: AuditLog
  readonly store: Store
  /** Whom the log names for what is done here. */
  readonly operator: Principal
  close(): Promise<void>
}

/**
 * Opens the data that is named, or that of the configuration, to look and to act on it. It runs no turns, starts no
 * channel and makes no upkeep: that is the agent's.
 */
export async function visitData(
  data: string | undefined,
  path: string | undefined,
  otherTenant?: string,
): Promise<VisitedData> {
  const named = await dataFor(data, { config: path })
  if (!isUrl(named) && !existsSync(join(named, 'beach.db'))) {
    throw new BeachError('INVALID_CONFIGURATION', `${named} is not the data folder of an agent: it has no beach.db.`)
  }
  const hasConfig = path !== undefined || findConfig() !== undefined
  const config = hasConfig ? plainOptions((await loadConfig({ path, command: 'visit' })).config) : undefined
  const { slices, approvers, artifacts, missives: kept } = config ?? {}
  const tenant = otherTenant ?? config?.tenant ?? 'default'
  const runtime = systemRuntime()
  const { encryption } = config ?? {}
  const opened = await openData({ ...(isUrl(named) ? { store: named } : { folder: named }), encryption, runtime })
  const store = visitingStore(opened.store)
  const audit = new AuditLog({ store, runtime, tenant })
  const sessions = new SessionTurnManager({
    ...registriesOf(config ?? {}),
    store,
    audit,
    runtime,
    slices,
    approvers,
    actors: { visitor: { run: async () => {} } },
  })
  const missives = new Missives({
    ...opened.missives,
    ...(kept === false ? undefined : kept),
    log: store,
    runtime,
    artifacts: artifacts ?? opened.artifacts,
    leavesErasureRecord: true,
  })
  missives.start(sessions)
  return {
    sessions,
    missives,
    audit,
    store,
    revocations: new Revocations({ store, clock: runtime.clock, logger: runtime.logger }),
    operator: { kind: 'operator', id: 'beach', tenant, scopes: ['inspect', 'inspect:act'] },
    async close() {
      await sessions.stop()
      await missives.close()
      await opened.artifacts.close?.()
      await opened.store.close()
    },
  }
}
