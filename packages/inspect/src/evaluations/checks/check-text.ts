import { linearPattern } from '@cool-ai/beach-core/runtime'
import type { TextExpectation } from '../format/expectation.ts'
import { several, shown, type Failure } from './failure.ts'
import { predicateFailure } from './predicate.ts'

/** What a text must be for a judge; undefined when the judge finds it so, else the judge's reason. */
export type Judge = (asked: {
  readonly rubric: string
  readonly text: string
  readonly said: string
  readonly model?: string | undefined
}) => Promise<string | undefined>

/** What the judge is told besides the text. */
export interface Judging {
  readonly judge: Judge
  /** What the user had said. */
  readonly said: string
}

/** What is wrong with a text. */
export async function checkText(
  expected: string | readonly string[] | TextExpectation,
  text: string,
  { judge, said }: Judging,
): Promise<Failure[]> {
  const { equals, contains, matches, excludes, judge: judged, test } = expectationOf(expected)
  const problems: string[] = []
  if (equals !== undefined && text !== equals) problems.push(`The text is not ${shown(equals)}; it is ${shown(text)}.`)
  for (const words of several(contains ?? [])) {
    if (!flat(text).includes(flat(words))) problems.push(`${shown(words)} is not in the text, which is ${shown(text)}.`)
  }
  for (const words of several(excludes ?? [])) {
    if (flat(text).includes(flat(words))) problems.push(`${shown(words)} is in the text, which is ${shown(text)}.`)
  }
  for (const pattern of several(matches ?? [])) {
    const compiled = linearPattern(pattern)
    if ('problem' in compiled) problems.push(`The pattern ${shown(pattern)} ${compiled.problem}.`)
    else if (!compiled.test(text)) problems.push(`The text does not match /${pattern}/; it is ${shown(text)}.`)
  }
  const failures = problems.map((message): Failure => ({ of: 'text', message }))
  if (test !== undefined) failures.push(...(await predicateFailure('text', test, text)))
  if (judged !== undefined) {
    const { rubric, model } = typeof judged === 'string' ? { rubric: judged, model: undefined } : judged
    const reason = await judge({ rubric, text, said, model })
    if (reason !== undefined)
      failures.push({ of: 'judge', message: `The judge says no to ${shown(rubric)}: ${reason}` })
  }
  return failures
}

function expectationOf(expected: string | readonly string[] | TextExpectation): TextExpectation {
  if (typeof expected === 'string') return { contains: expected }
  return Array.isArray(expected) ? { contains: expected as string[] } : (expected as TextExpectation)
}

/** Where lines break does not matter. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
