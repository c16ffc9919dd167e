import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { silentLogger } from '../logger.ts'
import { madePrivateFile } from './private-files.ts'

test('a file that cannot be made is an error, and no file that is there already', () => {
  const here = fileURLToPath(new URL('.', import.meta.url))
  expect(() => madePrivateFile(join(here, 'missing', 'one.db'), silentLogger)).toThrow('ENOENT')
})
