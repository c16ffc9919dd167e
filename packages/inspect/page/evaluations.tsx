import { useState } from 'preact/hooks'
import { act, type ApiError } from './api.ts'
import { Badge, Confirm, Empty, Moment, More, Problem } from './bits.tsx'
import { cost, count, counted, duration, when } from './format.ts'
import { Icon } from './icon.tsx'
import { Plot } from './plot.tsx'
import type { CaseResult, EvaluationReport, Me, ReportSummary, RunResult } from './types.ts'
import { useData, usePages } from './use-data.ts'

const plotted = 60

/** Results of evaluations: how they went over time, and the latest ones. */
export function EvaluationsPage() {
  const { value, error, more } = usePages<ReportSummary>(`evaluations?limit=${plotted}`, { everyMs: 5_000 })
  const reports = value ?? []
  const oldestFirst = reports.toReversed()
  const times = oldestFirst.map(({ startedAt }) => startedAt)
  const sums = oldestFirst.map(({ totals }) => Object.values(totals))
  const each = (of: (totals: (typeof sums)[number][number]) => number) =>
    sums.map((variants) => variants.reduce((sum, one) => sum + of(one), 0))
  const shares = sums.map((variants) => share(variants.map(({ runs, passedRuns }) => [passedRuns, runs] as const)))
  return (
    <div class="list">
      <h1>Evaluations</h1>
      <Problem error={error} />
      {value !== undefined && reports.length === 0 && (
        <Empty>
          No results yet. Run <code>beach eval --keep</code>: what comes of it is shown here.
        </Empty>
      )}
      {reports.length > 0 && (
        <>
          <div class="plots">
            <Plot title="Runs that pass" times={times} format={percent} series={[{ name: 'share', values: shares }]} />
            <Plot
              title="Cases"
              times={times}
              format={count}
              bars
              series={[
                { name: 'passed', values: each(({ passed }) => passed) },
                { name: 'failed', tone: 'bad', values: each(({ cases, passed }) => cases - passed) },
              ]}
            />
            <Plot
              title="Latency of a run"
              times={times}
              format={duration}
              series={[
                {
                  name: 'half within',
                  values: sums.map((all) => Math.max(0, ...all.map(({ latencyMs }) => latencyMs))),
                },
              ]}
            />
            <Plot
              title="Tokens"
              times={times}
              format={count}
              bars
              series={[{ name: 'tokens', values: each(({ tokens }) => tokens) }]}
            />
          </div>
          <ul class="cards">
            {reports.map((report) => (
              <li key={report.id}>
                <ReportLink report={report} />
              </li>
            ))}
          </ul>
          <More label="Earlier results" more={more} />
        </>
      )}
    </div>
  )
}

function ReportLink({ report: { id, startedAt, ms, variants, passed, totals } }: { readonly report: ReportSummary }) {
  const words = variants.map((name) => {
    const { cases = 0, passed: good = 0 } = totals[name] ?? {}
    return `${variants.length > 1 ? `${name}: ` : ''}${good} of ${cases}`
  })
  return (
    <a class="report" href={`#/evaluations/${encodeURIComponent(id)}`}>
      <Badge state={passed ? 'passed' : 'failed'} /> <strong>{words.join(' · ')}</strong>{' '}
      <span class="muted">
        in {duration(ms)} · <Moment at={startedAt} />
      </span>
    </a>
  )
}

/** The results of one set of evaluations, side by side where variants were compared. */
export function EvaluationPage({ id, me }: { readonly id: string; readonly me: Me }) {
  const { value: report, error } = useData<EvaluationReport>(`evaluations/${encodeURIComponent(id)}`)
  const [failure, setFailure] = useState<ApiError>()
  if (report === undefined) return error === undefined ? <p class="loading">Loading…</p> : <Problem error={error} />
  const { variants, cases, startedAt, ms, passed } = report
  const names = [...new Set(cases.map(keyOf))]
  const remove = () => {
    act(`api/evaluations/${encodeURIComponent(id)}`, undefined, 'DELETE').then(
      () => (location.hash = '#/evaluations'),
      setFailure,
    )
  }
  return (
    <div class="list">
      <a href="#/evaluations" class="back">
        <Icon name="back" /> Evaluations
      </a>
      <h1>
        <Badge state={passed ? 'passed' : 'failed'} /> {when(startedAt)}
      </h1>
      <p class="facts">
        {counted(names.length, 'evaluation')}
        {variants.length > 1 ? `, ${variants.length} variants` : ''} in {duration(ms)}
      </p>
      {me.mayAct && (
        <div class="actions">
          <Confirm label="Forget" onConfirm={remove} />
        </div>
      )}
      <Problem error={failure} />
      {variants.length > 1 && <Comparison report={report} names={names} />}
      <ul class="cards">
        {cases.map((one) => (
          <li key={`${keyOf(one)}\n${one.variant}`}>
            <Case one={one} isCompared={variants.length > 1} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Comparison({ report, names }: { readonly report: EvaluationReport; readonly names: readonly string[] }) {
  const { variants, cases, totals } = report
  return (
    <div class="scroll" role="region" aria-label="Comparison" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Evaluation</th>
            {variants.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((key) => (
            <tr key={key}>
              <th scope="row">{cases.find((one) => keyOf(one) === key)?.name}</th>
              {variants.map((variant) => {
                const one = cases.find((each) => keyOf(each) === key && each.variant === variant)
                return <td key={variant}>{one === undefined ? '–' : <Badge state={outcomeOf(one)} />}</td>
              })}
            </tr>
          ))}
          <tr>
            <th scope="row">In all</th>
            {variants.map((variant) => {
              const { passed = 0, cases: all = 0, latencyMs = 0, tokens = 0, cost: spent = 0 } = totals[variant] ?? {}
              return (
                <td key={variant}>
                  {passed} of {all} · {duration(latencyMs)} · {count(tokens)} tokens
                  {spent > 0 ? ` · cost ${cost(spent)}` : ''}
                </td>
              )
            })}
          </tr>
        </tbody>
      </table>
    </div>
  )
}

function Case({ one, isCompared }: { readonly one: CaseResult; readonly isCompared: boolean }) {
  const { name, file, variant, runs } = one
  const failed = runs.findIndex(({ passed }) => !passed)
  const [chosen, setChosen] = useState(Math.max(0, failed))
  const run = runs[chosen]
  return (
    <details class="case" open={!one.passed}>
      <summary>
        <Badge state={outcomeOf(one)} /> <strong>{name}</strong>{' '}
        <span class="muted">
          {isCompared ? `${variant} · ` : ''}
          {file ?? ''}
        </span>
      </summary>
      {runs.length > 1 && (
        <label class="inline">
          Run{' '}
          <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {runs.map(({ passed }, index) => (
              <option key={index} value={index}>
                {index + 1} ({passed ? 'passed' : 'failed'})
              </option>
            ))}
          </select>
        </label>
      )}
      {one.isErased === true && <p class="muted">What was said went with the session that this was made from.</p>}
      {run !== undefined && <Run run={run} />}
    </details>
  )
}

/** The conversation of a run, with what was expected and did not happen. */
function Run({ run: { steps, failures, error, problems, latencyMs, tokens } }: { readonly run: RunResult }) {
  return (
    <div class="talk">
      {steps.map((step, index) => (
        <div key={index} class="talk-turn" role="group" aria-label={`Step ${index + 1}`}>
          <div class="said user">
            <p class="words">{step.did}</p>
          </div>
          {step.tools.map((call, place) => (
            <p key={place} class="did">
              Tool <strong>{call.name}</strong> <code>{JSON.stringify(call.args)}</code>{' '}
              {call.outcome !== undefined && <Badge state={call.outcome} />}
            </p>
          ))}
          {step.text !== '' && (
            <div class="said agent">
              <p class="words">{step.text}</p>
            </div>
          )}
          {step.failures.map(({ message }, place) => (
            <p key={place} class="bad-text">
              {message}
            </p>
          ))}
          <p class="meta end">
            {step.state !== '' && <Badge state={step.state} />} {step.parts.join(', ')}
          </p>
        </div>
      ))}
      {[...failures.map(({ message }) => message), ...(error === undefined ? [] : [error])].map((message) => (
        <p key={message} class="bad-text">
          {message}
        </p>
      ))}
      {problems.length > 0 && (
        <details>
          <summary>{counted(problems.length, 'logged problem')}</summary>
          <pre>{problems.join('\n')}</pre>
        </details>
      )}
      <p class="meta end">
        {duration(latencyMs)} · {count(tokens)} tokens
      </p>
    </div>
  )
}

function outcomeOf({ passed, runs }: CaseResult): string {
  const good = runs.filter((run) => run.passed).length
  return runs.length === 1 ? (passed ? 'passed' : 'failed') : `${passed ? 'passed' : 'failed'} ${good}/${runs.length}`
}

function keyOf({ name, file = '' }: CaseResult): string {
  return `${file}\n${name}`
}

function share(counts: readonly (readonly [passed: number, runs: number])[]): number | undefined {
  const runs = counts.reduce((sum, [, all]) => sum + all, 0)
  return runs === 0 ? undefined : counts.reduce((sum, [passed]) => sum + passed, 0) / runs
}

function percent(value: number): string {
  return `${Math.round(value * 100)}%`
}
