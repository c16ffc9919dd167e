/** The text in pieces of at most `max` UTF-16 units: cut between paragraphs, lines or words, and never inside a character. */
export function splitText(text: string, max: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > max) {
    const at = cutAt(rest, max)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}

/** The text, or its beginning up to a word's end with an ellipsis. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  return `${text.slice(0, cutAt(text, max - 1)).trimEnd()}…`
}

/** On one line, as a list's row or a template's parameter must be. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function cutAt(text: string, max: number): number {
  const window = text.slice(0, max + 1)
  for (const border of ['\n\n', '\n', ' ']) {
    const at = window.lastIndexOf(border)
    if (at >= max / 2) return at
  }
  const last = window.lastIndexOf(' ')
  if (last > 0) return last
  // Not between the two halves of a character.
  return /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) && max > 1 ? max - 1 : max
}
