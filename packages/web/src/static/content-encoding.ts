const supported = ['br', 'gzip'] as const

export type ContentEncoding = (typeof supported)[number]

/** The encoding that a request accepts and that is smallest; undefined for none. `q=0` refuses one, and `*` stands for the rest. */
export function contentEncoding(accepted: string | null): ContentEncoding | undefined {
  const weights = new Map<string, number>()
  for (const item of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  return supported.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0)
}
