import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { fields, isFields, text } from './fields.ts'

/** A source, with its number among those of one answer. */
export interface Footnote {
  readonly number: number
  readonly title: string
  readonly url?: string | undefined
  readonly quote?: string | undefined
  /** What it is the source of: keys at the top of the answer's data. */
  readonly about: readonly string[]
}

/** The citations of an answer as footnotes; the same source has one number however often it is cited. */
export function footnotesOf(parts: readonly StreamPart[]): readonly Footnote[] {
  const notes = new Map<string, Footnote>()
  for (const { partType, data } of parts) {
    if (partType !== 'citation') continue
    const { path, title, url, artifactId, quote } = fields(data)
    const name = text(title) ?? text(url) ?? text(artifactId)
    if (name === undefined) continue
    const source = JSON.stringify([name, url])
    const existing = notes.get(source)
    const about = [...(existing?.about ?? []), firstToken(path)]
    const link = text(url)
    const words = text(quote) ?? existing?.quote
    notes.set(source, {
      number: existing?.number ?? notes.size + 1,
      title: name,
      url: link,
      quote: words,
      about,
    })
  }
  return [...notes.values()]
}

/** The numbers of the footnotes that are about a part. */
export function numbersFor({ data, metadata }: StreamPart, footnotes: readonly Footnote[]): readonly number[] {
  const { slotKey } = metadata
  const isAbout = (key: string) =>
    slotKey === undefined ? isFields(data) && Object.hasOwn(data, key) : key === slotKey
  return footnotes.filter(({ about }) => about.some(isAbout)).map(({ number }) => number)
}

function firstToken(pointer: unknown): string {
  const token = typeof pointer === 'string' ? (pointer.split('/', 2)[1] ?? '') : ''
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
