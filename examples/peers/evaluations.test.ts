import { expectPassing } from '@cool-ai/example-kit/expect-passing'
import { test } from 'vitest'
import evaluatedHarbour from './evaluated-harbour.ts'
import evaluatedSkipper from './evaluated-skipper.ts'

test.each([
  ['the harbour', evaluatedHarbour, 'evaluations/harbour'],
  ['the skipper', evaluatedSkipper, 'evaluations/skipper'],
] as const)('%s passes the evaluations', (_, agent, folder) => expectPassing(agent, new URL(folder, import.meta.url)))
