import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { hasEnded, ownBirth } from './process-birth.ts'

test('only a process of this machine and container is known to have ended, and only where the system tells', () => {
  const isTold = process.platform === 'linux'
  expect(ownBirth !== undefined).toBe(isTold)
  const birth = ownBirth ?? 'boot/pid:[1]/2'
  const gone = spawnSync(process.execPath, ['--version']).pid
  expect(hasEnded(process.pid, birth)).toBe(false)
  expect(hasEnded(gone, birth)).toBe(isTold)
  // The id was given to a later process.
  expect(hasEnded(process.pid, `${birth}0`)).toBe(isTold)
  expect(hasEnded(gone, `elsewhere${birth}`)).toBe(false)
  expect(hasEnded(gone, birth.replace(/pid:\[/, 'pid:[9'))).toBe(false)
})
