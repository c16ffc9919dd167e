import { failuresOf, totalsOf, type CaseResult, type EvaluationReport } from '../report.ts'

const maxName = 60

/** A report as a table for people, with what failed below it. */
export function tableOf({ cases, variants, ms, agent }: EvaluationReport): string {
  const isCompared = variants.length > 1
  const names = [...new Set(cases.map(keyOf))]
  const rows = names.map((key) => {
    const own = variants.map((variant) => cases.find((one) => keyOf(one) === key && one.variant === variant))
    return [shortened(own.find((one) => one !== undefined)?.name ?? key), ...own.flatMap(cells)]
  })
  const head = isCompared ? ['', ...variants.flatMap((name) => [name, '', ''])] : undefined
  const titles = ['evaluation', ...variants.flatMap(() => ['passed', 'latency', 'tokens'])]
  const sums = ['in all', ...variants.flatMap((variant) => sumCells(cases, variant))]
  const lines = aligned([...(head === undefined ? [] : [head]), titles, ...rows, sums])
  const failed = cases.flatMap((one) => failureLines(one, isCompared))
  const { passed, cases: all } = totalsOf(cases)
  const end = `${agent.name}: ${passed} of ${all} passed in ${seconds(ms)}.`
  return [...lines, '', ...failed, ...(failed.length > 0 ? [''] : []), end, ''].join('\n')
}

function keyOf({ name, file = '' }: CaseResult): string {
  return `${file}\n${name}`
}

function cells(one: CaseResult | undefined): string[] {
  if (one === undefined) return ['–', '', '']
  const { latencyMs, tokens } = totalsOf([one])
  const passed = one.runs.filter((run) => run.passed).length
  const runs = one.runs.length === 1 ? '' : ` ${passed}/${one.runs.length}`
  return [`${one.passed ? 'yes' : 'NO'}${runs}`, seconds(latencyMs), tokens === 0 ? '–' : String(tokens)]
}

function sumCells(cases: readonly CaseResult[], variant: string): string[] {
  const { passed, cases: count, latencyMs, tokens, cost } = totalsOf(cases, variant)
  return [`${passed}/${count}`, seconds(latencyMs), cost > 0 ? `${tokens} (cost ${cost.toFixed(4)})` : String(tokens)]
}

/** What failed, once for each different failure. */
function failureLines(one: CaseResult, isCompared: boolean): string[] {
  const failures = new Set(one.runs.flatMap(failuresOf))
  if (failures.size === 0 || one.passed) return []
  const where = [one.file, isCompared ? one.variant : undefined].filter((text) => text !== undefined).join(', ')
  return [`${one.name}${where === '' ? '' : ` (${where})`}`, ...[...failures].map((failure) => `  ${failure}`)]
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows.at(-1) ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function shortened(text: string): string {
  return text.length > maxName ? `${text.slice(0, maxName - 1)}…` : text
}
