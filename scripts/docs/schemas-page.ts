import { jsonSchemaFiles } from '../../packages/protocol/src/json-schemas.ts'

/** The list of the JSON Schemas that the protocol package publishes. */
export function schemasPage(): string {
  const rows = [...jsonSchemaFiles()].map(([name, text]) => {
    const { title, $id } = JSON.parse(text) as { readonly title: string; readonly $id: string }
    return `| ${title} | \`@cool-ai/beach-protocol/schemas/${name}\` | \`${$id}\` |`
  })
  return [
    '# JSON Schemas',
    '',
    'JSON Schema 2020-12, made of the same schemas that Beach checks with. They are files of the package `@cool-ai/beach-protocol`, and of this site, below `/schemas/`. How tools use JSON Schemas: [JSON Schema](../json-schema.md).',
    '',
    '| schema | file | `$id` |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
