/** What is fixed of a service: the flights of the specification's samples are as they are there. */
export interface KnownService {
  readonly number: number
  readonly departs: string
  readonly minutes: number
  readonly fares: Readonly<Record<string, number>>
}

/** By airline prefix and airports. */
export const knownServices: Readonly<Record<string, KnownService>> = {
  'EJ LGW-CFU': { number: 4521, departs: '06:15', minutes: 225, fares: { '2026-08-15': 94 } },
  'BA LGW-CFU': { number: 2043, departs: '08:45', minutes: 215, fares: { '2026-08-15': 187 } },
}
