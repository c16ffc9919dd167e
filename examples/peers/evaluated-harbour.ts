import type { EvaluatedAgent } from '@cool-ai/beach/evaluations'
import { harbour } from './harbour-actor.ts'

/** The harbour as it is evaluated. */
const evaluated: EvaluatedAgent = { agent: { id: 'harbour', name: 'Harbour' }, actors: { harbour } }

export default evaluated
