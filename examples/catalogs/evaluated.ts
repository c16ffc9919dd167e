import type { EvaluatedAgent } from '@cool-ai/beach/evaluations'
import { harbour } from './harbour-actor.ts'
import { harbourCatalog } from './harbour-catalog.ts'

/** The harbour as it is evaluated. */
const evaluated: EvaluatedAgent = {
  agent: { id: 'harbour', name: 'Harbour' },
  actors: { harbour },
  catalogs: [harbourCatalog],
}

export default evaluated
