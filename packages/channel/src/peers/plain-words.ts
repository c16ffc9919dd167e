/** Foreign text on one line, shortened, and without anything that could be taken for a mark of ours. */
export function plainWords(text: string, max: number): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[<>]/g, '')
    .trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}
