import { styleText } from 'node:util'
import { jsonText } from './plain-text.ts'

type Style = Parameters<typeof styleText>[0]

/** A style that is used only on a terminal; `NO_COLOR` switches it off there too. */
const styled = (style: Style, text: string) => styleText(style, text, { stream: process.stderr, validateStream: true })
const styledOut = (style: Style, text: string) =>
  styleText(style, text, { stream: process.stdout, validateStream: true })

/** Results go to the standard output, everything that is said about the work to the standard error. */
export const terminal = {
  line(text = ''): void {
    process.stdout.write(`${text}\n`)
  },
  /** A result for programs: one JSON value. */
  json(value: unknown): void {
    process.stdout.write(`${jsonText(value)}\n`)
  },
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  },
  /** Whether a person can be asked. */
  canAsk: () => process.stdin.isTTY && process.stderr.isTTY,
  red: (text: string) => styled('red', text),
  bold: (text: string) => styledOut('bold', text),
  dim: (text: string) => styledOut('dim', text),
  green: (text: string) => styledOut('green', text),
  yellow: (text: string) => styledOut('yellow', text),
}

export function failureJson(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}
