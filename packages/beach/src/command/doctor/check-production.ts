import { isUrl } from '../../data/moving/postgres-data.ts'
import type { BeachConfig } from '../config/define-config.ts'
import { isLoopback } from './is-loopback.ts'
import { warning, type Finding } from './checks.ts'

/** What SECURITY.md asks of agents in production, besides who may do what: for those that others than this machine reach. */
export function checkProduction(
  config: BeachConfig,
  data: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Finding[] {
  const { access = {}, audit, limits } = config
  const findings: Finding[] = []
  const warn = (message: string, advice: string) => findings.push(warning('production', message, advice))
  if ((environment.BEACH_SECRET ?? '') === '' && data !== undefined && !isUrl(data)) {
    warn('The secret lies in the data folder, and in its backups.', 'Set BEACH_SECRET from a secret manager.')
  }
  const plain = (access.origins ?? []).filter((origin) => isPlain(origin))
  if (plain.length > 0) {
    warn(`Pages of ${plain.join(', ')} may call, which anyone on the way can change.`, 'List https origins only.')
  }
  if (data !== undefined && isUrl(data) && !isVerified(data)) {
    warn('The database is reached without its certificate being checked.', 'Add `sslmode=verify-full` to its address.')
  }
  if (audit?.syslog === undefined) {
    warn(
      'The record of who did what is in the data only, where its holder can write it anew.',
      'Set `audit.syslog` to a collector, or keep the hash that `beach audit verify` prints.',
    )
  }
  const { data: given, retention = typeof given === 'object' ? given.retention : undefined } = config
  if (retention === false) {
    warn('Everything is kept for ever.', 'Set `data.retention` to times that the purpose needs (docs/retention.md).')
  }
  const { network } = limits ?? access.limits ?? {}
  if (access.guests !== false && network?.sessions?.perDay === undefined) {
    warn('Guests of one network may begin sessions all day.', 'Set `limits.network.sessions.perDay`.')
  }
  return findings
}

function isPlain(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).protocol === 'http:' && !isLoopback(new URL(origin).hostname)
}

/** A socket or this machine need no certificate. */
function isVerified(address: string): boolean {
  const { hostname, searchParams } = new URL(address)
  const host = hostname === '' ? (searchParams.get('host') ?? '') : hostname
  return host === '' || host.startsWith('/') || isLoopback(host) || searchParams.get('sslmode') === 'verify-full'
}
