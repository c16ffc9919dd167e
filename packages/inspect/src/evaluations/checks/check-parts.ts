import { BeachError, isBeachError } from '@cool-ai/beach-core'
import { foreignSchemaProblems } from '@cool-ai/beach-protocol/json-schema'
import type { DataExpectation, Expectation } from '../format/expectation.ts'
import type { TurnRecord } from '../turn-record.ts'
import { listed, several, shown, type Failure } from './failure.ts'
import { predicateFailure } from './predicate.ts'
import { isSame, missingFrom } from './subset.ts'

/** What is wrong with the types of parts. */
export function checkParts(expected: NonNullable<Expectation['parts']>, { parts }: TurnRecord): Failure[] {
  const types = parts.map(({ partType }) => partType)
  const { includes, exactly, excludes } = Array.isArray(expected) ? { includes: expected } : (expected as Lists)
  const problems: string[] = []
  if (includes !== undefined && !isWithin(types, includes)) {
    problems.push(`The parts ${listed(includes)} do not come in this order; there are ${listed(types)}.`)
  }
  if (exactly !== undefined && (types.length !== exactly.length || !isWithin(types, exactly))) {
    problems.push(`The parts are not ${listed(exactly)}; they are ${listed(types)}.`)
  }
  for (const type of excludes ?? []) if (types.includes(type)) problems.push(`There is a part ${type}.`)
  return problems.map((message) => ({ of: 'parts', message }))
}

interface Lists {
  readonly includes?: readonly string[] | undefined
  readonly exactly?: readonly string[] | undefined
  readonly excludes?: readonly string[] | undefined
}

function isWithin(types: readonly string[], wanted: readonly string[]): boolean {
  let found = 0
  for (const type of types) if (type === wanted[found]) found++
  return found === wanted.length
}

/** What is wrong with the data of parts: each expectation must be true of one part of its type. */
export async function checkData(
  expected: DataExpectation | readonly DataExpectation[],
  { parts }: TurnRecord,
): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const one of several(expected)) {
    const { type = 'domain-data' } = one
    const values = parts.filter(({ partType }) => partType === type).map(({ data }) => data)
    if (values.length === 0) {
      failures.push({ of: 'data', message: `There is no part ${type}.` })
      continue
    }
    const problems = await Promise.all(values.map((value) => dataProblems(one, value)))
    // The part that fits best tells most.
    const best = problems.reduce((least, other) => (other.length < least.length ? other : least))
    failures.push(...best)
  }
  return failures
}

async function dataProblems(expected: DataExpectation, value: unknown): Promise<Failure[]> {
  const { schema, test } = expected
  const problems: string[] = schema === undefined ? [] : schemaProblems(schema, value)
  if ('equals' in expected && expected.equals !== undefined && !isSame(value, expected.equals)) {
    problems.push(`The data is not ${shown(expected.equals)}; it is ${shown(value)}.`)
  }
  if ('includes' in expected && expected.includes !== undefined) {
    const missing = missingFrom(value, expected.includes)
    if (missing !== undefined) {
      problems.push(`The data lacks ${shown(expected.includes)} at ${missing}; it is ${shown(value)}.`)
    }
  }
  const failures = problems.map((message): Failure => ({ of: 'data', message }))
  return test === undefined ? failures : [...failures, ...(await predicateFailure('data', test, value))]
}

function schemaProblems(schema: Readonly<Record<string, unknown>>, value: unknown): string[] {
  try {
    return foreignSchemaProblems(schema, value, 'data').map((problem) => `By its schema: ${problem}.`)
  } catch (error) {
    if (!isBeachError(error)) throw error
    throw new BeachError('INVALID_CONFIGURATION', `The schema of an evaluation cannot be used. ${error.message}`)
  }
}
