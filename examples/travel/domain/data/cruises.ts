/** What a cruise is like. */
export const cruiseTypes = ['ocean', 'island hopping', 'expedition', 'river'] as const

export type CruiseType = (typeof cruiseTypes)[number]

/** A cruise that sails every year; the price is in whole pounds per person, sharing a cabin, before the season's factor. */
export interface Cruise {
  readonly cruiseId: string
  readonly name: string
  readonly region: string
  /** Further words for the region. */
  readonly aliases: readonly string[]
  readonly type: CruiseType
  readonly line: string
  readonly ship: string
  readonly nights: number
  /** In the order of the voyage; it starts at the first and ends at the last. */
  readonly ports: readonly string[]
  readonly basePrice: number
  /** Departures are on these days of these months. */
  readonly departs: { readonly months: readonly number[]; readonly days: readonly number[] }
}

export const cruises: readonly Cruise[] = [
  {
    cruiseId: 'ionian-classic',
    name: 'Ionian Classic',
    region: 'Ionian Sea',
    aliases: ['Mediterranean Sea', 'Greece', 'Greek'],
    type: 'island hopping',
    line: 'Kapodistria Lines',
    ship: 'Nausicaa',
    nights: 7,
    ports: ['Corfu', 'Paxos', 'Lefkada', 'Ithaca', 'Kefalonia', 'Zakynthos', 'Corfu'],
    basePrice: 890,
    departs: { months: [5, 6, 7, 8, 9], days: [2, 9, 16, 23] },
  },
  {
    cruiseId: 'adriatic-jewels',
    name: 'Adriatic Jewels',
    region: 'Adriatic Sea',
    aliases: ['Mediterranean Sea', 'Croatia', 'Italy'],
    type: 'ocean',
    line: 'Merchant Republic Cruises',
    ship: 'Serenissima Star',
    nights: 7,
    ports: ['Venice', 'Split', 'Dubrovnik', 'Kotor', 'Corfu', 'Bari', 'Venice'],
    basePrice: 1040,
    departs: { months: [4, 5, 6, 7, 8, 9, 10], days: [5, 19] },
  },
  {
    cruiseId: 'dalmatian-islands',
    name: 'Dalmatian Islands',
    region: 'Adriatic Sea',
    aliases: ['Mediterranean Sea', 'Croatia', 'Dalmatia'],
    type: 'island hopping',
    line: 'Merchant Republic Cruises',
    ship: 'Little Ragusa',
    nights: 5,
    ports: ['Dubrovnik', 'Mljet', 'Korčula', 'Hvar', 'Split'],
    basePrice: 720,
    departs: { months: [5, 6, 7, 8, 9], days: [4, 11, 18, 25] },
  },
  {
    cruiseId: 'aegean-antiquity',
    name: 'Aegean Antiquity',
    region: 'Aegean Sea',
    aliases: ['Mediterranean Sea', 'Greece', 'Greek'],
    type: 'ocean',
    line: 'Kapodistria Lines',
    ship: 'Pallas',
    nights: 8,
    ports: ['Athens', 'Mykonos', 'Delos', 'Kuşadası', 'Rhodes', 'Santorini', 'Heraklion', 'Athens'],
    basePrice: 1180,
    departs: { months: [4, 5, 6, 7, 8, 9, 10], days: [7, 21] },
  },
  {
    cruiseId: 'western-mediterranean',
    name: 'Western Mediterranean Cities',
    region: 'Western Mediterranean',
    aliases: ['Sea', 'Spain', 'Italy'],
    type: 'ocean',
    line: 'Tramontana Cruises',
    ship: 'Tramontana Sky',
    nights: 7,
    ports: ['Barcelona', 'Marseille', 'Genoa', 'Rome', 'Naples', 'Palma', 'Barcelona'],
    basePrice: 870,
    departs: { months: [3, 4, 5, 6, 7, 8, 9, 10, 11], days: [1, 8, 15, 22] },
  },
  {
    cruiseId: 'canary-winter',
    name: 'Canaries and Madeira',
    region: 'Canary Islands',
    aliases: ['Canaries', 'Spain', 'Atlantic'],
    type: 'ocean',
    line: 'Tramontana Cruises',
    ship: 'Tramontana Sun',
    nights: 7,
    ports: ['Tenerife', 'La Palma', 'Madeira', 'Lanzarote', 'Gran Canaria', 'Tenerife'],
    basePrice: 790,
    departs: { months: [1, 2, 3, 10, 11, 12], days: [6, 13, 20, 27] },
  },
  {
    cruiseId: 'iceland-circle',
    name: 'Around Iceland',
    region: 'North Atlantic',
    aliases: ['Iceland', 'Arctic'],
    type: 'expedition',
    line: 'Northwater Expeditions',
    ship: 'Skua',
    nights: 9,
    ports: [
      'Reykjavik',
      'Ísafjörður',
      'Siglufjörður',
      'Akureyri',
      'Seyðisfjörður',
      'Höfn',
      'Vestmannaeyjar',
      'Reykjavik',
    ],
    basePrice: 2650,
    departs: { months: [6, 7, 8], days: [3, 14, 25] },
  },
  {
    cruiseId: 'douro-valley',
    name: 'Douro Valley by River',
    region: 'Portugal',
    aliases: ['Douro'],
    type: 'river',
    line: 'Quinta River Cruises',
    ship: 'Dona Antónia',
    nights: 6,
    ports: ['Porto', 'Régua', 'Pinhão', 'Vega de Terrón', 'Salamanca', 'Porto'],
    basePrice: 1320,
    departs: { months: [4, 5, 6, 9, 10], days: [4, 12, 20, 28] },
  },
]
