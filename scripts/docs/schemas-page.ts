import { publishedSchemas } from './published-schemas.ts'

/** The list of the JSON Schemas that the packages publish. */
export function schemasPage(): string {
  const rows = publishedSchemas().map(({ place, text }) => {
    const { title, $id } = JSON.parse(text) as { readonly title: string; readonly $id: string }
    return `| ${title} | ${place} | \`${$id}\` |`
  })
  return [
    '# JSON Schemas',
    '',
    'Made of the same schemas that Beach checks with: JSON Schema 2020-12, and draft 7 for the payloads of flows. They are files of the packages, and of this site, below `/schemas/`; `@cool-ai/beach` has all of them in `dist/docs/schemas`. How tools use JSON Schemas: [JSON Schema](../json-schema.md).',
    '',
    '| schema | file | `$id` |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
