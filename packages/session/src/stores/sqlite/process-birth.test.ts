import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { hasEnded, ownBirth } from './process-birth.ts'

test.runIf(process.platform === 'linux')('only a process of this machine and container is known to have ended', () => {
  const birth = String(ownBirth)
  const gone = spawnSync(process.execPath, ['--version']).pid
  expect(hasEnded(process.pid, birth)).toBe(false)
  expect(hasEnded(gone, birth)).toBe(true)
  // The id was given to a later process.
  expect(hasEnded(process.pid, `${birth}0`)).toBe(true)
  expect(hasEnded(gone, `elsewhere${birth}`)).toBe(false)
  expect(hasEnded(gone, birth.replace(/pid:\[/, 'pid:[9'))).toBe(false)
})
