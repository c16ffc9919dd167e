import type { EvaluatedAgent } from '@cool-ai/beach/evaluations'
import { skipper } from './skipper-actor.ts'

/** The skipper as it is evaluated; evaluations have what the harbour answers. */
const evaluated: EvaluatedAgent = {
  agent: { id: 'skipper', name: 'Skipper' },
  actors: { skipper },
  peers: { harbour: { url: 'http://127.0.0.1:9/' } },
}

export default evaluated
