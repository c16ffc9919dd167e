import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { failuresOf, totalsOf, type CaseResult, type EvaluationReport } from '../report.ts'

/** A report in the form of JUnit, which build servers read: a suite for each variant, a test case for each evaluation. */
export function junitOf({ cases, variants, startedAt, ms, agent }: EvaluationReport): string {
  const { cases: tests, passed } = totalsOf(cases)
  const suites = variants.map((variant) => {
    const own = cases.filter((one) => one.variant === variant)
    const totals = totalsOf(own)
    const name = variants.length === 1 ? agent.name : `${agent.name}, ${variant}`
    const facts = `name="${text(name)}" tests="${totals.cases}" failures="${totals.cases - totals.passed}"`
    const time = `timestamp="${new Date(startedAt).toISOString()}"`
    return [`  <testsuite ${facts} errors="0" ${time}>`, ...own.map(testCase), '  </testsuite>'].join('\n')
  })
  const facts = `name="evaluations" tests="${tests}" failures="${tests - passed}" time="${(ms / 1_000).toFixed(3)}"`
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites ${facts}>`, ...suites, '</testsuites>', ''].join('\n')
}

function testCase(one: CaseResult): string {
  const { name, file = 'evaluations', runs, passed, passRate, required } = one
  const time = (totalsOf([one]).latencyMs / 1_000).toFixed(3)
  const open = `    <testcase name="${text(name)}" classname="${text(file)}" time="${time}"`
  if (passed) return `${open}/>`
  const failures = [...new Set(runs.flatMap(failuresOf))]
  const message =
    runs.length === 1
      ? (failures[0] ?? '')
      : `${share(passRate)} of ${runs.length} runs passed; ${share(required)} must`
  return `${open}>\n      <failure message="${text(message)}">${text(failures.join('\n'))}</failure>\n    </testcase>`
}

function share(value: number): string {
  return `${Math.round(value * 100)}%`
}

// oxlint-disable-next-line no-control-regex -- those are what is looked for.
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

/** XML has no way to write control characters and halves of characters. */
function text(value: string): string {
  return escapeHtml(value.toWellFormed().replaceAll(unwritable, '\uFFFD'))
}
