/** A shop where orders are picked up. */
export interface Location {
  readonly id: string
  readonly name: string
  readonly address: string
  /** How many minutes an order takes there. */
  readonly estimatedTime: number
  /** What else people call it. */
  readonly also: readonly string[]
}

export const locations: readonly Location[] = [
  {
    id: 'loc_001',
    name: 'Main Street',
    address: '123 Main Street',
    estimatedTime: 8,
    also: ['main', 'main st', 'downtown'],
  },
  {
    id: 'loc_002',
    name: 'Harbour',
    address: '4 Pier Road',
    estimatedTime: 5,
    also: ['harbor', 'the pier', 'pier road'],
  },
  {
    id: 'loc_003',
    name: 'Station',
    address: '1 Station Square',
    estimatedTime: 12,
    also: ['train station', 'station square'],
  },
]
