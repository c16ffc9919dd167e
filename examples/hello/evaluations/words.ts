import { defineEvaluation } from '@cool-ai/beach/evaluations'
import { answerTo } from '../hello-actor.ts'

const said = 'every word'

export default defineEvaluation({
  name: 'says every word of its answer',
  turns: [{ say: said, expect: { text: { equals: answerTo(said) }, check: ({ parts }) => parts.length === 3 } }],
})
