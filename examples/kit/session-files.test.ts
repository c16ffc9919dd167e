import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SessionFiles } from './session-files.ts'

test('a folder that others could enter is closed to them when the first file is read', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'beach-test-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'baskets')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'basket-sess_a.json'), '1')
  const files = new SessionFiles({ folder, noun: 'basket', empty: 0, parse: Number })
  expect(await files.load('sess_a')).toBe(1)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  await files.update('sess_a', (value) => value + 1)
  expect(statSync(join(folder, 'basket-sess_a.json')).mode & 0o777).toBe(0o600)
})
