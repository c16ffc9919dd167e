import { createHash } from 'node:crypto'

const maxLength = 64

/** A tool's name here: the server's name before it, in letters that every model accepts. */
export function localName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}_${tool}`.replaceAll(/[^A-Za-z0-9_-]+/g, '_')
  const name = plain.slice(0, maxLength)
  // Names that only differ in what was replaced or cut must not become one.
  if (name === `${server}_${tool}` && !taken.has(name)) return name
  const mark = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8)
  return `${name.slice(0, maxLength - mark.length - 1)}_${mark}`
}
