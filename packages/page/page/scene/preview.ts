import { day, localDayAndTime } from '@cool-ai/beach-client/view'

/** What of a file is shown before it is downloaded. */
export type Preview =
  | { readonly kind: 'text'; readonly text: string; readonly more: boolean }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[]; readonly more: boolean }
  | { readonly kind: 'events'; readonly events: readonly CalendarEvent[]; readonly more: boolean }

interface CalendarEvent {
  readonly summary: string
  readonly start: string
  readonly place?: string | undefined
}

const maxLines = 12
const maxColumns = 8
const maxEvents = 6

/** How a file of that type is shown: as a picture, by a preview of its text, or not at all. */
export function previewKind(mimeType: string): 'image' | 'text' | undefined {
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(type)) return 'image'
  return ['text/plain', 'text/csv', 'text/calendar', 'text/markdown', 'application/json'].includes(type)
    ? 'text'
    : undefined
}

/** The preview of a file's beginning. */
export function previewOf(mimeType: string, beginning: string): Preview {
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'text/calendar') return calendarPreview(beginning)
  const lines = beginning.split(/\r?\n/)
  const more = lines.length > maxLines
  if (type === 'text/csv') {
    const rows = lines.filter((line) => line !== '').slice(0, maxLines)
    return { kind: 'table', rows: rows.map((line) => cells(line).slice(0, maxColumns)), more }
  }
  return { kind: 'text', text: lines.slice(0, maxLines).join('\n'), more }
}

/** The cells of a line of CSV; quotes keep commas together. */
function cells(line: string): string[] {
  const found = line.match(/"(?:[^"]|"")*"|[^,]+|(?<=^|,)(?=,|$)/g) ?? []
  return found.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell))
}

/** The events of a calendar: its lines are unfolded, and what is escaped is read. */
function calendarPreview(text: string): Preview {
  const lines = text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)
  const events: CalendarEvent[] = []
  let properties: Map<string, string> | undefined
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT') properties = new Map()
    else if (line === 'END:VEVENT' && properties !== undefined) {
      const place = properties.get('LOCATION')
      events.push({
        summary: properties.get('SUMMARY') ?? 'Without a title',
        start: startOf(properties.get('DTSTART') ?? ''),
        place,
      })
      properties = undefined
    } else {
      const [, name, value] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? []
      if (name !== undefined && value !== undefined) properties?.set(name, unescaped(value))
    }
  }
  return { kind: 'events', events: events.slice(0, maxEvents), more: events.length > maxEvents }
}

/** `20260815T084500Z` in words; an instant as the viewer's own clock has it. */
function startOf(value: string): string {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?/.exec(value)
  if (found === null) return value
  const [, year, month, date, hour, minute, zulu] = found
  const words = day(`${year}-${month}-${date}`)
  if (hour === undefined) return words
  if (zulu !== undefined) return localDayAndTime(Date.parse(`${year}-${month}-${date}T${hour}:${minute}Z`)) ?? value
  return `${words}, ${hour}:${minute}`
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([nN,;\\])/g, (_, character: string) =>
    character.toLowerCase() === 'n' ? ' ' : character,
  )
}
