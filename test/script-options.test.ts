import { expect, test } from 'vitest'
import { valuesOf } from '../scripts/options.ts'

const options = {
  seeds: { about: 'how many', default: 2_000 },
  from: { about: 'the first', default: 1, min: 0 },
  store: { about: 'which', default: 'both', oneOf: ['both', 'sqlite'] },
  bug: { about: 'which', default: undefined, oneOf: ['a twin'] },
  output: { about: 'prints', default: false },
} as const
const usual = { seeds: 2_000, from: 1, store: 'both', bug: undefined, output: false, help: false }

test('options of a script have their values, or those that stand when they are left out', () => {
  expect(valuesOf(options, [])).toEqual(usual)
  const given = ['--seeds', '5', '--from=0', '--store', 'sqlite', '--bug', 'a twin', '--output', '--help']
  expect(valuesOf(options, given)).toEqual({
    seeds: 5,
    from: 0,
    store: 'sqlite',
    bug: 'a twin',
    output: true,
    help: true,
  })
})

test.each([
  [['--wat'], "There is no option '--wat'."],
  [['--toString', '1'], "There is no option '--toString'."],
  [['-s', '1'], "There is no option '-s'."],
  [['500'], "'500' belongs to no option."],
  [['--seeds'], 'Give --seeds as a whole number from 1 on.'],
  [['--seeds', '0'], 'Give --seeds as a whole number from 1 on.'],
  [['--seeds', '-4'], 'Give --seeds as a whole number from 1 on.'],
  [['--from', '1.5'], 'Give --from as a whole number from 0 on.'],
  [['--seeds', '1e3'], 'Give --seeds as a whole number from 1 on.'],
  [['--store', 'mysql'], 'Give --store as one of: both, sqlite.'],
  [['--bug', ''], 'Give --bug as one of: a twin.'],
  [['--output=yes'], 'Give --output without a value.'],
])('%j is refused with a sentence', (given, problem) => {
  expect(valuesOf(options, given)).toBe(problem)
})
