/** The kinds of data that this page has a form of its own for. */
export const knownKinds: ReadonlySet<string> = new Set([
  'flight-results',
  'hotel-results',
  'research-section',
  'package',
  'booking',
  'week',
])
