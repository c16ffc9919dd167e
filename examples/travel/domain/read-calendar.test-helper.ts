/** The text of an iCalendar object with its folded lines joined. */
export function unfolded(text: string): string {
  return text.replaceAll(/\r\n[ \t]/g, '')
}

/** What a text value says. */
export function unescaped(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))
}

/** The events of a calendar: each property's name, with its parameters, and its raw value. */
export function eventsOf(text: string): ReadonlyMap<string, string>[] {
  const blocks = unfolded(text).split('BEGIN:VEVENT\r\n').slice(1)
  return blocks.map((block) => {
    const lines = block.slice(0, block.indexOf('END:VEVENT')).trimEnd().split('\r\n')
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
  })
}
