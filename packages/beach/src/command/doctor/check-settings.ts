import type { BeachConfig } from '../config/define-config.ts'
import { isUrl } from '../../data/moving/postgres-data.ts'
import { checkAccess } from './check-access.ts'
import { checkProduction } from './check-production.ts'
import { ok, problem, warning, type Finding } from './checks.ts'
import { isLoopback } from './is-loopback.ts'

const minSecretLength = 32

/** Keys and secrets, addresses, and settings that are unsafe where others can reach the agent. */
export function checkSettings(config: BeachConfig, data: string | undefined, environment = process.env): Finding[] {
  return [
    ...checkKeys(environment),
    ...checkSecret(data, environment),
    ...checkAddresses(config),
    ...checkSafety(config, data, environment),
  ]
}

const providerKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']

function checkKeys(environment: NodeJS.ProcessEnv): Finding[] {
  const found = providerKeys.filter((name) => (environment[name] ?? '') !== '')
  if (found.length > 0) return [ok('keys', `${found.join(', ')} ${found.length === 1 ? 'is' : 'are'} set.`)]
  const advice = `Set ${providerKeys.join(', ')} or the key of your provider, if the agent has a real model.`
  return [warning('keys', 'No key of a model provider is set.', advice)]
}

function checkSecret(data: string | undefined, environment: NodeJS.ProcessEnv): Finding[] {
  const secret = environment.BEACH_SECRET ?? ''
  if (secret === '' && data !== undefined && isUrl(data)) {
    return [problem('secret', 'BEACH_SECRET is not set.', 'Set it for all processes: openssl rand -base64 32')]
  }
  if (secret !== '' && secret.split(/[\s,]+/).some((one) => one.length < minSecretLength)) {
    return [problem('secret', 'BEACH_SECRET is short.', 'Use at least 32 random characters: openssl rand -base64 32')]
  }
  return [ok('secret', secret === '' ? 'The secret is in the data folder.' : 'BEACH_SECRET is set.')]
}

function checkAddresses({ publicUrl, host = '127.0.0.1', channels = [] }: BeachConfig): Finding[] {
  if (publicUrl === undefined) {
    const needed = channels.length > 0 ? ' Links in mails and messages lead nowhere without it.' : ''
    return [warning('address', `There is no publicUrl.${needed}`, 'Set `publicUrl` to where others reach the agent.')]
  }
  if (!URL.canParse(publicUrl))
    return [problem('address', `publicUrl is no address: ${publicUrl}`, 'Write it with https://.')]
  const { protocol, hostname } = new URL(publicUrl)
  if (isLoopback(hostname))
    return [warning('address', `publicUrl is this machine: ${publicUrl}`, 'Others cannot reach it.')]
  if (protocol !== 'https:')
    return [problem('address', `publicUrl is not https: ${publicUrl}`, 'Put a proxy with TLS before the agent.')]
  const behind = isLoopback(host) ? 'a proxy on this machine has to pass requests on' : `it listens on ${host}`
  return [ok('address', `${publicUrl}; ${behind}.`)]
}

function checkSafety(config: BeachConfig, data: string | undefined, environment: NodeJS.ProcessEnv): Finding[] {
  const { host = '127.0.0.1', inspect, channels = [], publicUrl, serve } = config
  const findings: Finding[] = []
  const isPublic =
    !isLoopback(host) ||
    (publicUrl !== undefined && URL.canParse(publicUrl) && !isLoopback(new URL(publicUrl).hostname))
  if (isPublic && typeof inspect === 'object' && inspect.localLink === true) {
    findings.push(
      problem('safety', '`inspect.localLink` is on for an agent that others reach.', 'Use `inspect.operators`.'),
    )
  }
  if (isPublic && channels.some((channel) => 'localPage' in channel)) {
    findings.push(
      problem('safety', 'A mailbox or phone of this machine is on for an agent that others reach.', 'Use an account.'),
    )
  }
  if (!isLoopback(host) && serve?.tls === undefined) {
    findings.push(
      warning('safety', `It listens on ${host} without TLS.`, 'Only a proxy with TLS should reach it there.'),
    )
  }
  if (isPublic && !limitsSpending(config)) {
    findings.push(
      warning(
        'safety',
        'No limit says how much models may cost in a day.',
        'Set `limits.tenant.cost.perDay` (with `prices` of `llmActor`) or `limits.tenant.tokens.perDay`.',
      ),
    )
  }
  const isBehindProxy = isLoopback(host) || serve?.tls === undefined
  if (isPublic && isBehindProxy && (config.access?.remoteAddress ?? config.remoteAddress) === undefined) {
    findings.push(
      warning(
        'safety',
        'Behind a proxy all guests count as one network.',
        'Tell the agent where your proxy puts the address of the caller: `access.remoteAddress`.',
      ),
    )
  }
  if (isPublic && !isEncrypted(config)) {
    findings.push(
      warning(
        'safety',
        'What is stored is not encrypted.',
        'Set BEACH_ENCRYPTION_KEYS, or `data.encryption` with a KMS (docs/encryption.md).',
      ),
    )
  }
  if (isPublic && process.env.NODE_ENV !== 'production') {
    findings.push(warning('safety', 'NODE_ENV is not production.', 'Set NODE_ENV=production.'))
  }
  findings.push(...checkAccess(config, isPublic), ...(isPublic ? checkProduction(config, data, environment) : []))
  return findings.length > 0 ? findings : [ok('safety', 'No unsafe settings.')]
}

function limitsSpending({ limits, access }: BeachConfig): boolean {
  const { principal, network, tenant, tenants = {} } = limits ?? access?.limits ?? {}
  const quotas = [principal, network, tenant, ...Object.values(tenants)]
  return quotas.some((quota) => (quota?.cost?.perDay ?? quota?.tokens?.perDay ?? quota?.turns?.perDay) !== undefined)
}

function isEncrypted({ data }: BeachConfig): boolean {
  const { encryption } = typeof data === 'object' ? data : {}
  return encryption === undefined ? (process.env.BEACH_ENCRYPTION_KEYS ?? '') !== '' : encryption !== false
}
