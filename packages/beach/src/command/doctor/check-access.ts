import { actScope, adminScope } from '@cool-ai/beach-channel/rights'
import type { BeachConfig } from '../config/define-config.ts'
import { problem, warning, type Finding } from './checks.ts'

/** Who may do what: sign-in, guests, roles and operators. `isPublic` when others than this machine reach the agent. */
export function checkAccess({ access = {}, inspect, publicUrl }: BeachConfig, isPublic: boolean): Finding[] {
  const { oidc, guests, roles = {} } = access
  const findings: Finding[] = []
  const warn = (message: string, advice: string) => findings.push(warning('access', message, advice))
  if (oidc !== undefined && isPublic && !oidc.issuer.startsWith('https:')) {
    findings.push(problem('access', `The sign-in provider is not https: ${oidc.issuer}`, 'Use its https address.'))
  }
  if (oidc !== undefined && (oidc.clientSecret ?? process.env.BEACH_OIDC_CLIENT_SECRET ?? '') === '') {
    warn(
      'The agent has no secret at the sign-in provider.',
      'Set BEACH_OIDC_CLIENT_SECRET, unless its client is a public one.',
    )
  }
  if (oidc !== undefined && publicUrl === undefined && isPublic) {
    warn('Sign-in without `publicUrl`.', 'Set it: the provider sends browsers back to `<publicUrl>/login/callback`.')
  }
  if (oidc === undefined && guests === undefined && isPublic) {
    warn('Callers without a credential are let in.', 'Set `access.guests: false`, or `true` where that is meant.')
  }
  for (const [name, scopes] of Object.entries(roles)) {
    const strong = scopes.filter((scope) => scope === adminScope || (scope === actScope && name !== 'operator'))
    if (name === 'admin' || strong.length === 0) continue
    warn(`The role '${name}' has ${strong.join(', ')}.`, 'Leave what operators and admins may do to those roles.')
  }
  const operators = typeof inspect === 'object' ? Object.entries(inspect.operators ?? {}) : []
  const mayAll = operators.filter(([, given]) => typeof given === 'string').map(([name]) => name)
  if (mayAll.length > 1) {
    warn(
      `${mayAll.join(', ')} may erase and export everything.`,
      'Give operators roles: { token, roles: ["operator"] }.',
    )
  }
  return findings
}
