import { expect, onTestFinished, test, vi } from 'vitest'
import { checkAccess } from '../../packages/beach/src/command/doctor/check-access.ts'
import type { BeachConfig } from '../../packages/beach/src/command/config/define-config.ts'

type Config = Parameters<typeof checkAccess>[0]

function found(config: Partial<Config>, isPublic = true): string[] {
  vi.stubEnv('BEACH_OIDC_CLIENT_SECRET', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  return checkAccess(config as BeachConfig, isPublic).map(({ status, message }) => `${status}: ${message}`)
}

const oidc = { issuer: 'https://login.example', clientId: 'clerk', clientSecret: 's' }

test('an agent that says who is let in, with roles for all of its operators, has no unsafe setting', () => {
  const operators = { anna: 'a'.repeat(32), ben: { token: 'b'.repeat(32), roles: ['reader'] } }
  const roles = { clerk: ['orders:read'] }
  const config = { publicUrl: 'https://clerk.example', access: { oidc, roles }, inspect: { operators } }
  expect(found(config)).toEqual([])
  expect(found({ access: { guests: true } })).toEqual([])
  expect(found({}, false)).toEqual([])
})

test.each<[Partial<Config>, string]>([
  [{}, 'warning: Callers without a credential are let in.'],
  [
    { publicUrl: 'https://x.example', access: { oidc: { ...oidc, issuer: 'http://login.example' } } },
    'problem: The sign-in provider is not https: http://login.example',
  ],
  [
    { publicUrl: 'https://x.example', access: { oidc: { issuer: oidc.issuer, clientId: 'clerk' } } },
    'warning: The agent has no secret at the sign-in provider.',
  ],
  [{ access: { oidc } }, 'warning: Sign-in without `publicUrl`.'],
  [
    { access: { guests: false, roles: { reader: ['inspect', 'inspect:act'] } } },
    "warning: The role 'reader' has inspect:act.",
  ],
  [
    { access: { guests: false, roles: { intern: ['inspect:admin'] } } },
    "warning: The role 'intern' has inspect:admin.",
  ],
  [
    { access: { guests: false }, inspect: { operators: { anna: 'a'.repeat(32), ben: 'b'.repeat(32) } } },
    'warning: anna, ben may erase and export everything.',
  ],
])('an unsafe setting is named: %j', (config, finding) => {
  expect(found(config)).toEqual([finding])
})
