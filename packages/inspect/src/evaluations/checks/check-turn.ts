import { milliseconds } from '@cool-ai/beach-core/runtime'
import type { EvaluationBudget, Expectation } from '../format/expectation.ts'
import type { TurnRecord } from '../turn-record.ts'
import { checkApprovals, checkTools } from './check-calls.ts'
import { checkData, checkParts } from './check-parts.ts'
import { checkText, type Judging } from './check-text.ts'
import { shown, type Failure } from './failure.ts'
import { predicateFailure } from './predicate.ts'

/** What of an expectation is not true of what the agent did. */
export async function checkTurn(expected: Expectation, record: TurnRecord, judging: Judging): Promise<Failure[]> {
  const { state, text, parts, data, tools, approvals, coordinates, budget, check } = expected
  const failures: Failure[] = []
  if (state !== undefined && record.state !== state) {
    const is = record.state === '' ? 'there was no turn' : `it is ${record.state}`
    failures.push({ of: 'state', message: `The turn is not ${state}; ${is}.` })
  }
  if (text !== undefined) failures.push(...(await checkText(text, record.text, judging)))
  if (parts !== undefined) failures.push(...checkParts(parts, record))
  if (data !== undefined) failures.push(...(await checkData(data, record)))
  if (tools !== undefined) failures.push(...checkTools(tools, record))
  if (approvals !== undefined) failures.push(...checkApprovals(approvals, record))
  for (const [name, value] of Object.entries(coordinates ?? {})) {
    const is = record.coordinates[name]
    if (is !== value) failures.push({ of: 'coordinates', message: `${name} is not ${value}; it is ${shown(is)}.` })
  }
  if (budget !== undefined) failures.push(...checkBudget(budget, record))
  if (check !== undefined) failures.push(...(await predicateFailure('check', check, record)))
  return failures
}

function checkBudget({ latency, tokens, cost, steps }: EvaluationBudget, record: TurnRecord): Failure[] {
  const latencyMs = latency === undefined ? undefined : milliseconds(latency)
  const limits = [
    ['ms', record.latencyMs, latencyMs],
    ['tokens', record.tokens, tokens],
    ['cost', record.cost, cost],
    ['steps', record.steps, steps],
  ] as const
  return limits.flatMap(([unit, used, limit]) => {
    if (limit === undefined || used <= limit) return []
    const took = unit === 'cost' ? `It cost ${used}` : `It took ${used} ${unit}`
    return [{ of: 'budget', message: `${took}; ${limit} are allowed.` }]
  })
}
