import { expect, onTestFinished, test, vi } from 'vitest'
import { checkSettings } from '../../packages/beach/src/command/doctor/check-settings.ts'
import { checkProduction } from '../../packages/beach/src/command/doctor/check-production.ts'
import type { BeachConfig } from '../../packages/beach/src/command/config/define-config.ts'

type Config = Partial<BeachConfig>

const database = 'postgres://beach@db.example/beach?sslmode=verify-full'
const safe: Config = {
  access: { guests: true, origins: ['https://shop.example'] },
  audit: { syslog: 'tcp://logs.example:601' },
  limits: { network: { sessions: { perDay: 500 } } },
}

function found(config: Config, data = database, environment: NodeJS.ProcessEnv = {}): string[] {
  return checkProduction(config as BeachConfig, data, environment).map(({ message }) => message)
}

test('an agent that keeps to the list for production has nothing to mend', () => {
  expect(found(safe)).toEqual([])
  expect(found(safe, '.beach', { BEACH_SECRET: 's'.repeat(32) })).toEqual([])
  expect(found(safe, 'postgres://beach@127.0.0.1/beach')).toEqual([])
  expect(found({ ...safe, access: { guests: false }, limits: {} })).toEqual([])
})

test.each<[string, Config, string | undefined, string]>([
  ['the secret in the folder', safe, '.beach', 'The secret lies in the data folder, and in its backups.'],
  [
    'an origin without TLS',
    { ...safe, access: { origins: ['http://shop.example', 'http://localhost:3000'] } },
    undefined,
    'Pages of http://shop.example may call, which anyone on the way can change.',
  ],
  [
    'a database whose certificate is not checked',
    safe,
    'postgres://beach@db.example/beach?sslmode=require',
    'The database is reached without its certificate being checked.',
  ],
  [
    'a record in the data only',
    { ...safe, audit: undefined },
    undefined,
    'The record of who did what is in the data only, where its holder can write it anew.',
  ],
  [
    'no retention',
    { ...safe, data: { folder: '.beach', retention: false } },
    undefined,
    'Everything is kept for ever.',
  ],
  [
    'guests without a daily limit',
    { ...safe, limits: {} },
    undefined,
    'Guests of one network may begin sessions all day.',
  ],
])('%s is named', (_name, config, data, message) => {
  expect(found(config, data)).toEqual([message])
})

test('an agent that others reach is told of each setting that is unsafe there', () => {
  vi.stubEnv('NODE_ENV', 'test')
  vi.stubEnv('BEACH_ENCRYPTION_KEYS', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const said = (more: Config) => {
    const config: Config = { ...safe, publicUrl: 'https://clerk.example', ...more }
    const all = checkSettings(config as BeachConfig, database, { BEACH_SECRET: 's'.repeat(32) })
    return all.filter(({ check }) => check === 'safety').map(({ message }) => message)
  }
  const proxy = 'Behind a proxy all guests count as one network.'
  const spending = 'No limit says how much models may cost in a day.'
  const rest = ['What is stored is not encrypted.', 'NODE_ENV is not production.']
  expect(said({})).toEqual([spending, proxy, ...rest])
  expect(said({ host: '0.0.0.0' })).toEqual(['It listens on 0.0.0.0 without TLS.', spending, proxy, ...rest])
  const limits = { tenant: { tokens: { perDay: 1 } } }
  const access = { ...safe.access, remoteAddress: () => '192.0.2.7' }
  vi.stubEnv('NODE_ENV', 'production')
  vi.stubEnv('BEACH_ENCRYPTION_KEYS', 'some')
  expect(said({ limits, access, inspect: { localLink: true } })).toEqual([
    '`inspect.localLink` is on for an agent that others reach.',
  ])
})
