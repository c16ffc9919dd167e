// oxlint-disable no-control-regex -- they are what is looked for.
// Escape sequences of terminals (CSI, OSC and their like), and single control characters except tab and newline.
const sequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]P^_X][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u009B[0-?]*[ -/]*[@-~]/g
// Also marks that turn the direction of writing around.
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** A text that others wrote, so that it cannot steer the terminal: without its escape sequences and control characters. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(sequences, '').replaceAll(controls, '\uFFFD')
}

/** A value as JSON, with the control characters that JSON leaves as they are written as escapes. */
export function jsonText(value: unknown): string {
  const escape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  return (JSON.stringify(value, null, 2) ?? 'null').replaceAll(
    /[\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    escape,
  )
}

/** The same on one line, for lists and tables. */
export function plainLine(text: string, maxLength = 200): string {
  const line = plainText(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}
