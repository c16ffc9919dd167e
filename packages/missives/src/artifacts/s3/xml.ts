import type { ObjectEntry } from './bucket.ts'

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of the first element of this name. What buckets answer is flat, and has no attributes where we look. */
export function firstIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text === undefined ? undefined : plain(text)
}

/** The entries of a list of objects. */
export function keysIn(xml: string): ObjectEntry[] {
  return [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].flatMap(([, entry = '']) => {
    const key = firstIn(entry, 'Key')
    const changedAt = Date.parse(firstIn(entry, 'LastModified') ?? '')
    return key === undefined ? [] : [{ key, changedAt: Number.isNaN(changedAt) ? Infinity : changedAt }]
  })
}

function plain(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
      return entities[name ?? ''] ?? whole
    },
  )
}
