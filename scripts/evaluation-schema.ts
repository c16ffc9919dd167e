import { writeFileSync } from 'node:fs'
import { evaluationJsonSchema } from '@cool-ai/beach-inspect/evaluations'

// The JSON Schema of evaluation files, for editors. A test says when it has to be written again.
const file = new URL('../packages/inspect/evaluation.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(evaluationJsonSchema(), undefined, 2)}\n`)
