import { isBeachError } from '@cool-ai/beach-core'
import { cronTicks } from '@cool-ai/beach-hooks'
import { describe, expect, test } from 'vitest'

function between(pattern: string, timezone: string | undefined, from: string, to: string): string[] {
  const ticks = cronTicks(pattern, timezone)
  const found: string[] = []
  for (let at = ticks.next(Date.parse(from)); at !== undefined && at < Date.parse(to); at = ticks.next(at)) {
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'))
  }
  return found
}

describe('times', () => {
  const berlin = 'Europe/Berlin'
  const newYork = 'America/New_York'
  test.each([
    [
      'in UTC',
      '0 8 * * MON',
      undefined,
      '2026-11-15T00:00Z',
      '2026-11-24T00:00Z',
      ['2026-11-16T08:00Z', '2026-11-23T08:00Z'],
    ],
    ['by name', '@daily', undefined, '2026-11-15T00:00Z', '2026-11-16T01:00Z', ['2026-11-16T00:00Z']],
    ['in a time zone', '0 8 * * *', berlin, '2026-11-15T00:00Z', '2026-11-16T00:00Z', ['2026-11-15T07:00Z']],
    [
      'that a change of clocks leaves out are at the end of the gap, once',
      '30 2 * * *',
      berlin,
      '2026-03-28T00:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'that come twice count the first time',
      '30 2 * * *',
      berlin,
      '2026-10-24T00:00Z',
      '2026-10-26T12:00Z',
      ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'of every hour come every hour when one is doubled',
      '30 * * * *',
      berlin,
      '2026-10-24T23:00Z',
      '2026-10-25T03:00Z',
      ['2026-10-24T23:30Z', '2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z'],
    ],
    [
      'of every hour come every hour when one is left out',
      '30 * * * *',
      newYork,
      '2026-03-08T05:00Z',
      '2026-03-08T09:00Z',
      ['2026-03-08T05:30Z', '2026-03-08T06:30Z', '2026-03-08T07:30Z', '2026-03-08T08:30Z'],
    ],
    [
      'are right where clocks change by half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T00:00Z',
      '2026-10-05T00:00Z',
      ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    ['of leap years', '0 0 29 2 *', undefined, '2026-01-01T00:00Z', '2030-01-01T00:00Z', ['2028-02-29T00:00Z']],
  ])('%s', (_, pattern, timezone, from, to, expected) => {
    expect(between(pattern, timezone, from, to)).toEqual(expected)
  })

  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z'],
    ['*/20 1-3 * * *', 'America/New_York', '2026-10-31T12:00Z'],
    ['*/20 1-3 * * *', 'America/New_York', '2026-03-07T12:00Z'],
    ['0,45 * * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z'],
  ])('%s in %s are the same forwards and backwards, from wherever one looks', (pattern, timezone, from) => {
    const ticks = cronTicks(pattern, timezone)
    const begin = Date.parse(from)
    const end = begin + 48 * 3_600_000
    const all = ticks.upTo(end, 500).filter((tick) => tick > begin)
    expect(all.length).toBeGreaterThan(1)
    for (let time = begin; time < end; time += 5 * 60_000) {
      const next = all.find((tick) => tick > time)
      if (next !== undefined) expect(ticks.next(time)).toBe(next)
      expect(ticks.upTo(time, 1).at(-1) ?? 0).toBe(all.findLast((tick) => tick <= time) ?? ticks.upTo(begin, 1).at(-1))
    }
  })
})

test('a tick is of the time itself, and not before it', () => {
  const ticks = cronTicks('0 8 * * *')
  const eight = Date.parse('2026-11-15T08:00Z')
  expect(ticks.upTo(eight, 1)).toEqual([eight])
  expect(ticks.upTo(eight - 1, 1)).toEqual([eight - 24 * 3_600_000])
  expect(ticks.next(eight)).toBe(eight + 24 * 3_600_000)
  expect(ticks.next(eight - 1)).toBe(eight)
})

test.each([
  '1-100000000 * * * *',
  '*/100000000 * * * *',
  `${'0,'.repeat(5_000)}0 * * * *`,
  '* '.repeat(5_000),
  '0 0 31 2 *',
  '* * * * * *',
  '* * * *',
  '',
  '*/0 * * * *',
  '60 * * * *',
  '@reboot',
  '@every 1s',
  '2026-01-01T00:00:00',
  '0 8 * * FUNDAY',
  '-5 * * * *',
])('the pattern %.40s is refused', (pattern) => {
  expect(() => cronTicks(pattern)).toThrow(expect.toSatisfy((error) => isBeachError(error, 'INVALID_CONFIGURATION')))
})

test('a time zone that does not exist is refused', () => {
  expect(() => cronTicks('0 8 * * *', 'Mars/Olympus')).toThrow(/is not a time zone/)
})
