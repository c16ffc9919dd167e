import type { Airport } from '../destination.ts'

/** Where journeys start. */
export const origins: readonly Airport[] = [
  {
    code: 'LGW',
    name: 'London Gatwick',
    country: 'United Kingdom',
    aliases: ['England', 'UK', 'GB', 'Crawley'],
    zone: 'Europe/London',
    latitude: 51.15,
    longitude: -0.19,
  },
  {
    code: 'LHR',
    name: 'London Heathrow',
    country: 'United Kingdom',
    aliases: ['England', 'UK', 'GB'],
    zone: 'Europe/London',
    latitude: 51.47,
    longitude: -0.45,
  },
  {
    code: 'MAN',
    name: 'Manchester',
    country: 'United Kingdom',
    aliases: ['England', 'UK', 'GB', 'Ringway'],
    zone: 'Europe/London',
    latitude: 53.36,
    longitude: -2.27,
  },
  {
    code: 'EDI',
    name: 'Edinburgh',
    country: 'United Kingdom',
    aliases: ['Scotland', 'UK', 'GB', 'Turnhouse'],
    zone: 'Europe/London',
    latitude: 55.95,
    longitude: -3.37,
  },
]
