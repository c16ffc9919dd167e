import { describe, expect, test } from 'vitest'
import { Metrics } from './metrics.ts'
import { prometheusText } from './prometheus-text.ts'

describe('metrics', () => {
  test('the text has counters, histograms with cumulative buckets, and gauges that are read for it', () => {
    const metrics = new Metrics()
    metrics.add('turns', { outcome: 'complete' })
    metrics.add('turns', { outcome: 'complete' })
    metrics.observe('commits', 0.02, { outcome: 'ok' })
    metrics.observe('commits', 70, { outcome: 'ok' })
    let running = 1
    metrics.watch(() => ({ turnsRunning: running }))
    running = 3
    const text = prometheusText(metrics)
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        '# TYPE beach_turns_total counter',
        'beach_turns_total{outcome="complete"} 2',
        '# TYPE beach_commit_duration_seconds histogram',
        'beach_commit_duration_seconds_bucket{outcome="ok",le="0.01"} 0',
        'beach_commit_duration_seconds_bucket{outcome="ok",le="0.025"} 1',
        'beach_commit_duration_seconds_bucket{outcome="ok",le="60"} 1',
        'beach_commit_duration_seconds_bucket{outcome="ok",le="+Inf"} 2',
        'beach_commit_duration_seconds_sum{outcome="ok"} 70.02',
        'beach_commit_duration_seconds_count{outcome="ok"} 2',
        '# TYPE beach_turns_running gauge',
        'beach_turns_running 3',
      ]),
    )
    expect(text.endsWith('\n')).toBe(true)
  })

  test('a label cannot end its line or its quotes', () => {
    const metrics = new Metrics()
    metrics.add('errors', { activity: 'turn', code: 'a"b\\c\nd' })
    expect(prometheusText(metrics)).toContain('beach_errors_total{activity="turn",code="a\\"b\\\\c\\nd"} 1')
  })

  test('a label with endlessly many values has one series for all that come late', () => {
    const metrics = new Metrics()
    for (let index = 0; index < 5_000; index++) metrics.add('errors', { activity: 'turn', code: `code-${index}` })
    metrics.add('errors', { activity: 'turn', code: 'code-3' })
    const series = metrics.read('errors')
    expect(series.length).toBe(201)
    expect(series.find(({ labels }) => labels.code === 'code-3')?.value).toBe(2)
    expect(series.find(({ labels }) => labels.code === 'other')?.value).toBe(4_800)
  })
})
