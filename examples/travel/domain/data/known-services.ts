/** What is fixed of a service: the flights of the specification's samples are as they are there. */
export interface KnownService {
  readonly number: number
  readonly departs: string
  readonly minutes: number
  /** By the month of departure, from 1 on. */
  readonly fares: Readonly<Record<number, number>>
}

/** By airline prefix and airports. */
export const knownServices: Readonly<Record<string, KnownService>> = {
  'EJ LGW-CFU': { number: 4521, departs: '06:15', minutes: 225, fares: { 8: 94 } },
  'BA LGW-CFU': { number: 2043, departs: '08:45', minutes: 215, fares: { 8: 187 } },
}
