import { expectPassing } from '@cool-ai/example-kit/expect-passing'
import { test } from 'vitest'
import evaluated from './evaluated.ts'

test('Baxter passes the evaluations', () => expectPassing(evaluated, new URL('evaluations', import.meta.url)))
