import { mkdirSync, writeFileSync } from 'node:fs'
import { jsonSchemaFiles } from '../packages/protocol/src/json-schemas.ts'

// Writes the JSON Schemas that the protocol package publishes; a test fails when they are out of date.
const folder = new URL('../packages/protocol/schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, text] of jsonSchemaFiles()) writeFileSync(new URL(name, folder), text)
