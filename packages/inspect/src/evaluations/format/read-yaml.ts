import { BeachError } from '@cool-ai/beach-core'
import { isMap, isScalar, LineCounter, parseAllDocuments, type Document, type ParsedNode } from 'yaml'
import { evaluationSchema, type NamedEvaluation } from './evaluation.ts'
import { formatProblems, sentenceOf, type FormatProblem } from './schema-problems.ts'

const maxCharacters = 2_000_000

/** The evaluations of a YAML file, one in each document; throws with file and line of everything that is wrong. */
export function readEvaluations(text: string, file: string): NamedEvaluation[] {
  if (text.length > maxCharacters) throw wrong([`${file}: has more than ${maxCharacters} characters.`])
  const lines = new LineCounter()
  // Aliases are expanded a few times only: a small file must not become a large value.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const found = Array.isArray(documents) ? documents.filter(({ contents }) => contents !== null) : []
  if (found.length === 0) throw wrong([`${file}: has no evaluation.`])
  const located: { readonly offset: number; readonly message: string }[] = []
  const evaluations = found.flatMap((document, index): NamedEvaluation[] => {
    for (const { pos, message } of document.errors) located.push({ offset: pos[0], message })
    if (document.errors.length > 0) return []
    const result = evaluationSchema.safeParse(valueOf(document, file))
    if (!result.success) {
      for (const problem of formatProblems(result.error.issues)) {
        located.push({ offset: offsetOf(document, problem), message: sentenceOf(problem) })
      }
      return []
    }
    return [{ ...result.data, name: result.data.name ?? nameOf(file, index, found.length), file }]
  })
  const problems = located
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => `${at(offset)}: ${message}`)
  const names = evaluations.map(({ name }) => name)
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index))) {
    problems.push(`${file}: several evaluations are called '${name}'. Give each a name of its own.`)
  }
  if (problems.length > 0) throw wrong(problems)
  return evaluations
}

function valueOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw wrong([`${file}: ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** Where in the text a problem is: at the key itself, or at the deepest value on its path that is there. */
function offsetOf(document: Document.Parsed, { path, key }: FormatProblem): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const piece of path) {
    const next: unknown = keyed(node, piece)
    const range = (next as ParsedNode | undefined)?.range
    if (next === undefined || next === null) break
    offset = range?.[0] ?? offset
    node = next
  }
  if (key === undefined || !isMap(node)) return offset
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
  return (pair?.key as ParsedNode | undefined)?.range?.[0] ?? offset
}

function keyed(node: unknown, piece: PropertyKey): unknown {
  if (typeof node !== 'object' || node === null || !('get' in node)) return undefined
  return (node as { get(key: unknown, keep: true): unknown }).get(piece, true)
}

/** `booking` of `evaluations/booking.yaml`, with a number when the file has several. */
function nameOf(file: string, index: number, count: number): string {
  const base = file.replace(/^.*[/\\]/, '').replace(/\.(?:ya?ml|[cm]?[jt]s)$/, '')
  return count === 1 ? base : `${base} ${index + 1}`
}

function wrong(problems: readonly string[]): BeachError {
  return new BeachError('INVALID_CONFIGURATION', problems.join('\n'))
}
