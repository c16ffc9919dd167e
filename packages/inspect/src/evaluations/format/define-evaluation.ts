import { BeachError } from '@cool-ai/beach-core'
import { evaluationSchema, type Evaluation } from './evaluation.ts'
import { formatProblems, sentenceOf } from './schema-problems.ts'

/** An evaluation in code; throws with a sentence for everything that is wrong with it. */
export function defineEvaluation(evaluation: Evaluation): Evaluation {
  const result = evaluationSchema.safeParse(evaluation)
  if (result.success) return result.data
  const problems = formatProblems(result.error.issues).map(sentenceOf)
  throw new BeachError('INVALID_CONFIGURATION', `An evaluation is wrong.\n${problems.join('\n')}`)
}
