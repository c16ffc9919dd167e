import { AuditLog } from '@cool-ai/beach-channel/audit'
import { beachVersion } from '@cool-ai/beach-core'
import type { AgentSettings } from './agent-settings.ts'

/** The record of an agent, and the collector of syslog that gets what this process writes. */
export async function auditOf(settings: AgentSettings) {
  const { store, runtime, tenant, agent, audit } = settings
  const syslog =
    audit?.syslog === undefined
      ? undefined
      : new (await import('@cool-ai/beach-channel/audit/syslog')).AuditSyslog(audit.syslog, {
          agent: agent.id,
          logger: runtime.logger,
        })
  const log = new AuditLog({ store, runtime, tenant, written: syslog?.written })
  return {
    log,
    /** Puts on record how the agent is configured; what is secret of it is not in there. */
    async start(channels: readonly string[]): Promise<void> {
      const entry = {
        by: 'agent',
        kind: 'act',
        what: 'agent.start',
        detail: configuration(settings, channels),
      } as const
      try {
        await log.record(entry)
      } catch (error) {
        runtime.logger.log('warn', 'the start could not be put on record', { error })
      }
    },
    close: () => syslog?.close(),
  }
}

function configuration(settings: AgentSettings, channels: readonly string[]): string {
  const { agent, inspect, authenticators = [], hosts, origins, publicUrl, tokens, approvers } = settings
  const operators = typeof inspect === 'object' ? Object.keys(inspect.operators ?? {}) : undefined
  const access = { publicUrl, hosts, origins, authenticators: authenticators.length, tokens }
  return JSON.stringify({
    agent: agent.id,
    version: beachVersion,
    channels,
    ...access,
    approvers,
    inspect: Boolean(inspect),
    operators,
  })
}
