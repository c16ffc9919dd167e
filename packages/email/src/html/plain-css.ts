/** Stands for a character that is none of a plain name. */
const unsure = '\ufffd'

const piece =
  /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|$)|\\([0-9a-f]{1,6})\s?|\\([^\n])|<!--|-->/gi

/**
 * CSS in lower case, without comments and without what stands in quotes, and with escapes undone. What an escape stands
 * for is never a mark of the language: it is a part of a name, or `unsure`, as is what is not ASCII.
 */
export function plainCss(text: string): string {
  return (
    text
      .replaceAll(piece, (found, hex?: string, other?: string) => {
        if (found.startsWith('"') || found.startsWith("'")) return '""'
        if (hex === undefined && other === undefined) return ''
        const code = hex === undefined ? (other?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16)
        const character = code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : unsure
        return /^[\w-]$/.test(character) ? character : unsure
      })
      .replaceAll(/url\([^)]*\)?/gi, 'url()')
      .replaceAll(/\s+/g, ' ')
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[^\u0000-\u007f]/gu, unsure)
      .toLowerCase()
  )
}

/** A name of a class or an element, as it stands in plain CSS. */
export function plainName(name: string): string {
  return name.replaceAll(/[^\w-]/gu, unsure).toLowerCase()
}
