import type { Expectation, ExpectedCall } from '../format/expectation.ts'
import type { RecordedCall, TurnRecord } from '../turn-record.ts'
import { listed, shown, type Failure } from './failure.ts'
import { missingFrom } from './subset.ts'

type Call = string | ExpectedCall

interface Lists {
  readonly includes?: readonly Call[] | undefined
  readonly exactly?: readonly Call[] | undefined
  readonly excludes?: readonly Call[] | undefined
}

/** What is wrong with the calls of tools. */
export function checkTools(expected: NonNullable<Expectation['tools']>, { tools }: TurnRecord): Failure[] {
  const { includes = [], exactly, excludes = [] }: Lists = Array.isArray(expected) ? { includes: expected } : expected
  const were = `The calls were ${listed(tools.map(callText))}.`
  const problems: string[] = []
  const left = [...tools]
  for (const call of includes) {
    const at = left.findIndex((made) => fits(made, call))
    if (at < 0) problems.push(`There is no call ${expectedText(call)}. ${were}`)
    else left.splice(at, 1)
  }
  if (exactly !== undefined) {
    const isSo =
      exactly.length === tools.length && exactly.every((call, index) => fits(tools[index] as RecordedCall, call))
    if (!isSo) problems.push(`The calls are not ${listed(exactly.map(expectedText))}. ${were}`)
  }
  for (const call of excludes) {
    const made = tools.find((one) => fits(one, call))
    if (made !== undefined) problems.push(`There is a call ${callText(made)}, which must not happen.`)
  }
  return problems.map((message) => ({ of: 'tools', message }))
}

/** What is wrong with the requests that are open. */
export function checkApprovals(expected: NonNullable<Expectation['approvals']>, { approvals }: TurnRecord): Failure[] {
  const wanted = expected.map((one): { tool: string; args?: unknown } =>
    typeof one === 'string' ? { tool: one } : one,
  )
  const left = [...approvals]
  const missing = wanted.filter(({ tool, args }) => {
    const at = left.findIndex(
      (one) => one.tool === tool && (args === undefined || missingFrom(one.args, args) === undefined),
    )
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  if (missing.length === 0 && left.length === 0) return []
  const open = listed(approvals.map(({ tool, args }) => `${tool}(${shown(args)})`))
  const message = `The approvals that wait are not ${listed(wanted.map(({ tool }) => tool))}; they are ${open}.`
  return [{ of: 'approvals', message }]
}

function fits({ name, args, outcome }: RecordedCall, expected: Call): boolean {
  const wanted = typeof expected === 'string' ? { name: expected } : expected
  if (name !== wanted.name) return false
  if ('outcome' in wanted && wanted.outcome !== undefined && outcome !== wanted.outcome) return false
  return !('args' in wanted) || wanted.args === undefined || missingFrom(args, wanted.args) === undefined
}

function callText({ name, args, outcome }: RecordedCall): string {
  return `${name}(${shown(args)})${outcome === undefined || outcome === 'ok' ? '' : ` (${outcome})`}`
}

function expectedText(call: Call): string {
  if (typeof call === 'string') return call
  const { name, args, outcome } = call
  return `${name}${args === undefined ? '' : `(${shown(args)})`}${outcome === undefined ? '' : ` (${outcome})`}`
}
