import { describe, expect, it } from 'vitest'
import { heldRatios, lossesIn, ratioOfRuns, ratiosOf } from '../bench/held-ratios.ts'

describe('the ratios that the regression check holds', () => {
  it('are the medians of the figures of CPU time, and of no others', () => {
    const rounds = [
      { beach: 3, bare: 1 },
      { beach: 4, bare: 2 },
      { beach: 9, bare: 1 },
    ]
    const figures = [
      { name: 'turn: CPU of a turn', unit: 'ms', rounds },
      { name: 'latency: first byte', unit: 'ms', rounds },
    ]
    expect(ratiosOf(figures)).toEqual({ 'turn: CPU of a turn': 3 })
  })

  it('hold while a figure grows by fifteen percent, and no further', () => {
    expect(lossesIn({ turn: 2.3 }, { turn: 2 })).toEqual([])
    expect(lossesIn({ turn: 2.31 }, { turn: 2 })).toEqual([{ name: 'turn', held: 2, now: 2.31 }])
  })

  it('are lost when nothing measures them any more', () => {
    expect(lossesIn({}, { turn: 2 })).toEqual([{ name: 'turn', held: 2, now: Infinity }])
  })

  it('are the middle ones of several runs, and compared by the lowest', () => {
    const runs = [
      { turn: 3, call: 4 },
      { turn: 2, call: 6 },
      { turn: 4, call: 5 },
    ]
    expect(ratioOfRuns(runs)).toEqual({ turn: 3, call: 5 })
    expect(ratioOfRuns(runs, 0)).toEqual({ turn: 2, call: 4 })
  })

  it('include the store, the turn and MCP', async () => {
    const names = Object.keys(await heldRatios())
    for (const bench of ['store', 'turn', 'mcp']) {
      expect(names.some((name) => name.startsWith(`${bench}:`))).toBe(true)
    }
  })
})
