import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageManagerFor } from './package-manager.ts'

test.each([
  ['pnpm/10.1.0 npm/? node/v24.0.0 linux x64', 'pnpm'],
  ['yarn/4.1.0 npm/? node/v24.0.0 linux x64', 'yarn'],
  ['bun/1.3.0 npm/? node/v24.0.0 linux x64', 'bun'],
  ['npm/11.0.0 node/v24.0.0 linux x64', 'npm'],
])('the package manager that started the command is used: %s', (userAgent, expected) => {
  expect(packageManagerFor(tmpdir(), userAgent)).toBe(expected)
})

test('without one, that of the project around the folder is used', () => {
  const project = mkdtempSync(join(tmpdir(), 'beach-manager-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  mkdirSync(join(project, 'apps/clerk'), { recursive: true })
  writeFileSync(join(project, 'pnpm-lock.yaml'), '')
  expect(packageManagerFor(join(project, 'apps/clerk'), 'npm/11.0.0 node/v24.0.0 linux x64')).toBe('pnpm')
})
