import type { Predicate } from '../format/expectation.ts'
import type { Failure } from './failure.ts'

/** What a function of the evaluation's author says of a value. */
export async function predicateFailure<Value>(of: string, test: Predicate<Value>, value: Value): Promise<Failure[]> {
  const message = await said(test, value)
  return message === undefined ? [] : [{ of, message }]
}

async function said<Value>(test: Predicate<Value>, value: Value): Promise<string | undefined> {
  try {
    const verdict = await test(value)
    if (verdict === false) return 'The function of the evaluation says no.'
    return typeof verdict === 'string' ? verdict : undefined
  } catch (error) {
    return `The function of the evaluation threw: ${error instanceof Error ? error.message : String(error)}`
  }
}
