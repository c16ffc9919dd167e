import type { EvaluatedAgent } from '@cool-ai/beach/evaluations'
import { helloActorAt } from './hello-actor.ts'

/** The agent as it is evaluated: it need not wait for readers. */
const evaluated: EvaluatedAgent = { agent: { id: 'hello', name: 'Hello' }, actors: { hello: helloActorAt(0) } }

export default evaluated
