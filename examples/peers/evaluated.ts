import type { EvaluatedAgent } from '@cool-ai/beach/evaluations'
import { harbour } from './harbour-actor.ts'
import { skipper } from './skipper-actor.ts'

/** The harbour as it is evaluated. */
export const evaluatedHarbour: EvaluatedAgent = { agent: { id: 'harbour', name: 'Harbour' }, actors: { harbour } }

/** The skipper as it is evaluated; evaluations have what the harbour answers. */
export const evaluatedSkipper: EvaluatedAgent = {
  agent: { id: 'skipper', name: 'Skipper' },
  actors: { skipper },
  peers: { harbour: { url: 'http://127.0.0.1:9/' } },
}
