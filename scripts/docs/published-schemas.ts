import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { intentFlowJsonSchemas } from '../../packages/intentflow/src/schemas/json-schemas.ts'
import { jsonSchemaFiles, schemaBase } from '../../packages/protocol/src/json-schemas.ts'
import { root } from '../release/workspaces.ts'

/** A published JSON Schema: its file's name on the site, where packages have it, and its text. */
export interface PublishedSchema {
  readonly name: string
  readonly place: string
  readonly text: string
}

const code = (text: string) => `\`${text}\``

/** All JSON Schemas that are published: those of the protocol, of evaluation files, and of the payloads of flows. */
export function publishedSchemas(): PublishedSchema[] {
  const evaluation = readFileSync(join(root, 'packages/inspect/evaluation.schema.json'), 'utf8')
  return [
    ...[...jsonSchemaFiles()].map(([name, text]) => ({
      name,
      place: code(`@cool-ai/beach-protocol/schemas/${name}`),
      text,
    })),
    { name: 'evaluation.json', place: code('@cool-ai/beach-inspect/evaluation.schema.json'), text: evaluation },
    ...Object.entries(intentFlowJsonSchemas).map(([title, schema]) => {
      const name = `intentflow-${title.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.json`
      const $schema = 'http://json-schema.org/draft-07/schema#'
      const text = `${JSON.stringify({ $schema, $id: `${schemaBase}${name}`, ...schema }, undefined, 2)}\n`
      return { name, place: `${code(`intentFlowJsonSchemas.${title}`)} of ${code('@intentflow/core')}`, text }
    }),
  ]
}

/** Writes them as files into a folder. */
export function writeSchemas(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const { name, text } of publishedSchemas()) writeFileSync(join(folder, name), text)
}
