/** What can be done on Sally's surfaces: the names of their actions. */
export const actions = {
  addFlight: 'add_flight',
  bookFlight: 'book_flight',
  sortFlights: 'sort_flights',
  addHotel: 'add_hotel',
  addCruise: 'add_cruise',
  addActivity: 'add_activity',
  removeItem: 'remove_item',
  bookPackage: 'book_package',
  makeItinerary: 'make_itinerary',
} as const

export type ActionName = (typeof actions)[keyof typeof actions]
