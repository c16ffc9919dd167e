import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInThisContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { mutantsOf, switchedSource } from '../scripts/mutation/mutants.ts'
import { NearestTests } from '../scripts/mutation/nearest-tests.ts'
import { sample } from '../scripts/mutation/sample.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

describe('a mutant', () => {
  test.each([
    ['if (a) b()', ['if (!(a)) b()', 'if (a) ;']],
    ['const x = a <= b', ['const x = a < b']],
    ['const x = a && !b', ['const x = a || !b']],
    ['const x = a ?? b', ['const x = a']],
    ['await go(true)', [';', 'go(true)', 'await go(false)']],
    ['const ms: 5 = 5', ['const ms: 5 = 6']],
    ["import { a } from 'b'", []],
    ['interface A { b: 1 }', []],
    ["this.#runtime.logger.log('warn', 'late', { ms: 1 })", []],
    ['const x = (a /* < */) < b', ['const x = (a /* < */) <= b']],
  ])('of `%s` is made in every place where there can be one', (source, expected) => {
    const made = mutantsOf('x.ts', source).map((mutant) => mutant.source)
    expect(made.toSorted()).toEqual([...expected].toSorted())
  })

  test('says where it is and what was changed', () => {
    expect(mutantsOf('x.ts', 'let a = 1\nif (a > 2) stop()')).toMatchObject([
      { line: 1, change: '1 became 2' },
      { line: 2, change: "negated 'a > 2'" },
      { line: 2, change: "> became >= in 'a > 2'" },
      { line: 2, change: '2 became 3' },
      { line: 2, change: "removed 'stop()'" },
    ])
  })
})

test('a source without mutants stays as it is', () => {
  const source = "export { a, type B } from 'c'\nconst d = { e, f() {} }\nexport { d }\n"
  expect(switchedSource('x.ts', source, 1)).toBe(source)
})

describe('a source with all its mutants', () => {
  const source = [
    'function f(a, b) {',
    '  let n = 1',
    '  const { c = a ?? 3 } = {}',
    '  if (a < b && a !== 2) n = n * 2',
    '  else n++',
    '  a && n++',
    '  return { n, 4: [c, true ? n - 1 : 0] }',
    '}',
  ].join('\n')
  const said = (text: string) => {
    const f = runInThisContext(`(() => { ${text}; return f })()`) as (a: number | undefined, b: number) => unknown
    return [f(1, 2), f(2, 2), f(undefined, 5), f(7, 3)]
  }

  test('says what the source says, and with each mutant what that one says alone', () => {
    const alone = mutantsOf('x.ts', source)
    const switched = switchedSource('x.ts', source, 10)
    const asked = globalThis as { mutant?: (id: number) => boolean }
    try {
      expect(said(switched)).toEqual(said(source))
      for (const [index, mutant] of alone.entries()) {
        asked.mutant = (id) => id === 10 + index
        expect(said(switched), mutant.change).toEqual(said(mutant.source))
      }
    } finally {
      delete asked.mutant
    }
    expect(alone.length).toBeGreaterThan(15)
  })
})

test('a sample is the same for the same seed, and takes from every file before it takes a second one', () => {
  const lists = [['a1', 'a2', 'a3'], ['b1'], ['c1', 'c2']]
  const first = sample(lists, 3, 7)
  expect(new Set(first.map(([name]) => name))).toEqual(new Set(['a', 'b', 'c']))
  expect(sample(lists, 3, 7)).toEqual(first)
  expect(sample(lists, 100, 7)).toHaveLength(6)
})

test('the tests nearest to a file are found, also those that import it by an entry point of its package', () => {
  const tests = new NearestTests(root).of('packages/core/src/sqlite/lock-wait.ts')
  expect(tests).toContain('packages/session/src/stores/sqlite/write-queue.test.ts')
})

test('a mutant that keeps its process busy for ever is ended', () => {
  const prelude = `${root}scripts/mutation/prelude.mjs`
  const endless = 'globalThis.mutants.rounds[0] = 1; for (;;);'
  // What ends it when nothing else does is another signal.
  const options = { timeout: 50_000, killSignal: 'SIGTERM' } as const
  expect(spawnSync(process.execPath, ['--import', prelude, '--eval', endless], options).signal).toBe('SIGKILL')
})

test('the mutation tester says which mutants a test notices, and leaves the sources as they are', () => {
  const file = 'packages/core/src/maps.ts'
  const before = readFileSync(`${root}${file}`, 'utf8')
  const only = ['--files', file, '--tests', 'packages/core/src/maps.test.ts', '--line', '14']
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@cool-ai/source', 'scripts/mutate.ts', ...only],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toContain('killed: packages/core/src/maps.ts:14 2 became 3')
  expect(stdout).toContain('survived: packages/core/src/maps.ts:14 1 became 2')
  expect(stdout).toContain('3 killed, 0 killed by the time limit, 1 survived')
  expect(readFileSync(`${root}${file}`, 'utf8')).toBe(before)
})
