/** Characters that a reader of a chat does not see, and a model does: tags, direction marks, fillers, zero widths. */
const hidden =
  // oxlint-disable-next-line no-misleading-character-class -- each of them is meant by itself.
  /[\u{00AD}\u{034F}\u{061C}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E0FFF}]/gu

/** What came in as its readers see it: a model gets nothing that the people in the thread cannot read. */
export function withoutHidden(text: string): string {
  return text.replaceAll(hidden, '')
}

/** Words of the agent’s that would alert whole channels: they stay readable, and alert no one. */
export function withoutAlerts(text: string): string {
  return text
    .replaceAll(/<!(?=(?:here|channel|everyone|subteam\b))/gi, '< !')
    .replaceAll(/<(?=at>|@&?\d|users\/)/gi, '< ')
    .replaceAll(/@(?=(?:everyone|here|channel|all)\b)/gi, '@ ')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * A text for a card, in which nothing is formatted: what is to be decided must be seen as it is, without links of other
 * names and without parts that a platform hides.
 */
export function literalText(adapterName: string, text: string): string {
  const quiet = withoutAlerts(text)
  if (adapterName === 'slack') return quiet.replaceAll(/[&<>]/g, (mark) => entities[mark] ?? mark)
  if (adapterName === 'gchat') {
    return quiet.replaceAll(/[&<>]/g, (mark) => entities[mark] ?? mark).replaceAll(/\](?=\()/g, '] ')
  }
  return quiet.replaceAll(/[\\`*_[\]<>~|]/g, String.raw`\$&`)
}
