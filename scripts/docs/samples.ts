import { readFileSync } from 'node:fs'

/** A block of code in a document. */
export interface Sample {
  /** `ts`, `tsx`, `json`, … */
  readonly language: string
  /** The file that it is in the reader's project; samples of one page with names are one project. */
  readonly name?: string
  /** Whether a test runs it by itself: such a sample asserts its outcome. */
  readonly runs: boolean
  readonly code: string
  readonly line: number
}

/** The blocks of code of a Markdown file, with the languages that are asked for. */
export function samplesIn(path: string, languages: readonly string[]): Sample[] {
  const text = readFileSync(path, 'utf8')
  const blocks = text.matchAll(/^```(?<language>\w+)(?: \[(?<name>[\w./-]+)\])?(?<runs> run)?\n(?<code>[\s\S]*?)^```/gm)
  return [...blocks].flatMap(({ index, groups }) => {
    const { language = '', name, runs, code = '' } = groups ?? {}
    if (!languages.includes(language)) return []
    const line = text.slice(0, index).split('\n').length
    return [{ language, ...(name === undefined ? {} : { name }), runs: runs !== undefined, code, line }]
  })
}
