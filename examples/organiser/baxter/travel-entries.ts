import { entrySchema, type Entry } from '../domain/week.ts'

const source = 'ExampleTravel'

/** What ExampleTravel has found, as entries for the plan: alternatives to choose from, or what was chosen already. */
export interface TravelEntries {
  readonly entries: readonly Entry[]
  readonly areAlternatives: boolean
  readonly isBooked: boolean
}

/** The last of a peer's data that can be planned. Data of others is looked at with care: it may be anything. */
export function travelEntries(data: readonly unknown[]): TravelEntries | undefined {
  for (const value of data.toReversed()) {
    if (!isRecord(value)) continue
    const flights = listIn(value.flights).flatMap((flight) => flightEntry(flight, value.route))
    if (flights.length > 0) return { entries: flights, areAlternatives: flights.length > 1, isBooked: false }
    const lines = listIn(value.items).flatMap(lineEntry)
    if (lines.length > 0) {
      return { entries: lines, areAlternatives: false, isBooked: typeof value.reference === 'string' }
    }
  }
  return undefined
}

/** The entry that a text names: by its place in the list, or by words of its title. */
export function entryNamed(entries: readonly Entry[], text: string, ordinal: number | undefined): Entry | undefined {
  if (ordinal !== undefined) return entries.at(ordinal)
  const said = compact(text)
  const words = entries.filter(({ title }) => {
    const number = /\b[A-Z][A-Z0-9] ?\d{3,4}\b/.exec(title)?.[0]
    const airline = number === undefined ? title : title.slice(0, title.indexOf(number))
    return said.includes(compact(title)) || [number, airline].some((name) => name && said.includes(compact(name)))
  })
  return words.length === 1 ? words[0] : undefined
}

function compact(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function flightEntry(flight: unknown, route: unknown): Entry[] {
  if (!isRecord(flight)) return []
  const { airline, flightNumber, departure } = flight
  const to = isRecord(route) && typeof route.destination === 'string' ? ` to ${route.destination}` : ''
  return entryOf(`${String(airline)} ${String(flightNumber)}${to}`, departure)
}

/** A line of a package or a booking. */
function lineEntry(line: unknown): Entry[] {
  if (!isRecord(line)) return []
  const { type, title, start } = line
  return entryOf(type === 'hotel' ? `Check in at ${String(title)}` : String(title), start)
}

function entryOf(title: string, start: unknown): Entry[] {
  const [date, time] = String(start).split('T')
  const entry = { date, ...(time !== undefined && { time: time.slice(0, 5) }), title: title.slice(0, 200), source }
  return entrySchema.safeParse(entry).success ? [entry as Entry] : []
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, 20) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
