const formats = new Map<string, Intl.DateTimeFormat>()

/** The moment at which clocks in the zone show this local time (`2026-08-15T08:45:00`), in milliseconds. */
export function momentOf(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}Z`)
  const near = asUtc - offsetAt(asUtc, zone)
  // Near a change of the clocks the first guess may have used the other side's offset.
  return asUtc - offsetAt(near, zone)
}

/** What clocks in the zone show at that moment. */
export function localTime(moment: number, zone: string): string {
  return new Date(moment + offsetAt(moment, zone)).toISOString().slice(0, 19)
}

function offsetAt(moment: number, zone: string): number {
  const fields = new Map(
    formatFor(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const field = (name: Intl.DateTimeFormatPartTypes) => fields.get(name) ?? 0
  const shown = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
  )
  return shown - Math.floor(moment / 1000) * 1000
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
