import type { Statement } from './lanes.ts'

/** Statements by their names, which begin with that of their store: a connection prepares each of them once. */
export function namedStatements<Texts extends Readonly<Record<string, string>>>(
  store: string,
  texts: Texts,
): { readonly [Name in keyof Texts]: Statement } {
  const named = Object.entries(texts).map(([name, text]) => [name, { name: `${store}.${name}`, text }])
  return Object.fromEntries(named) as { readonly [Name in keyof Texts]: Statement }
}
