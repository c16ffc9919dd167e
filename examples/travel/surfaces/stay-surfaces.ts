import { readableDuration, ui } from '@cool-ai/beach-a2ui'
import type { ActivityResults } from '../domain/activities.ts'
import type { CruiseResults } from '../domain/cruises.ts'
import type { HotelResults } from '../domain/hotels.ts'
import { addDays, longDate } from '../domain/iso-date.ts'
import { price } from '../domain/money.ts'
import { maxPartySize } from '../domain/party.ts'
import { defaultDeparture } from '../domain/today.ts'
import { actions } from './actions.ts'
import { firstOf, offerButton, offerCard } from './offer-card.ts'

interface Party {
  readonly people: number
}

interface Outing extends Party {
  readonly date: string
}

const party = ui.pathsOf<Party>()
const outing = ui.pathsOf<Outing>()
const usual = 2

/** Hotels to choose from. */
export function hotelSurface({ stay, hotels }: HotelResults, surfaceId: string) {
  if (hotels.length === 0) return undefined
  const { destination, checkIn, checkOut, nights, guests } = stay
  return ui.surface({
    surfaceId,
    root: ui.column(
      ui.text(`${destination}, ${nights} nights from ${longDate(checkIn)}`, { variant: 'h3' }),
      ...firstOf(hotels).map(({ hotelId, name, area, stars, board, rating, totalPrice }) =>
        offerCard({
          title: `**${name}** ${'★'.repeat(stars)}`,
          details: `${area}, ${board}, ${rating} of 10`,
          price: `${price(totalPrice)} in all`,
          buttons: [
            offerButton('Add', name, {
              id: `add-${hotelId}`,
              action: ui.action(actions.addHotel, { hotelId, checkIn, checkOut, guests }),
            }),
          ],
        }),
      ),
    ),
  })
}

/** Cruises to choose from. */
export function cruiseSurface({ cruises, search }: CruiseResults, surfaceId: string) {
  if (cruises.length === 0) return undefined
  const data: Party = { people: search.people ?? usual }
  return ui.surface({
    surfaceId,
    data,
    root: ui.column(
      ui.slider({ label: 'People', value: party.path('/people'), min: 1, max: maxPartySize }),
      ...firstOf(cruises).map(({ cruiseId, name, ship, nights, departure, ports, pricePerPerson }) =>
        offerCard({
          title: `**${name}** on the ${ship}`,
          details: `${nights} nights from ${longDate(departure)}: ${ports.join(' – ')}`,
          price: `${price(pricePerPerson)} per person`,
          buttons: [
            offerButton('Add', `${name}, ${longDate(departure)}`, {
              id: `add-${cruiseId}-${departure}`,
              action: ui.action(actions.addCruise, { cruiseId, departure, people: party.path('/people') }),
            }),
          ],
        }),
      ),
    ),
  })
}

/** Things to do, on a day and for as many as the user says. */
export function activitySurface(results: ActivityResults, surfaceId: string, today: string) {
  const { destination, activities, people = usual } = results
  if (activities.length === 0) return undefined
  // The day after people have arrived.
  const { date = addDays(defaultDeparture(today), 1) } = results
  const data: Outing = { date, people }
  const { path } = outing
  return ui.surface({
    surfaceId,
    data,
    sendDataModel: true,
    root: ui.column(
      ui.text(`Things to do in ${destination}`, { variant: 'h3' }),
      ui.row(
        ui.dateTimeInput({ label: 'Day', value: path('/date'), enableDate: true }),
        ui.slider({ label: 'People', value: path('/people'), min: 1, max: maxPartySize }),
      ),
      ...firstOf(activities).map(({ activityId, name, meetingPoint, startsAt, minutes, pricePerPerson }) =>
        offerCard({
          title: `**${name}**`,
          details: `${startsAt}, ${readableDuration(minutes)}, from ${meetingPoint}`,
          price: `${price(pricePerPerson)} per person`,
          buttons: [
            offerButton('Add', name, {
              id: `add-${activityId}`,
              action: ui.action(actions.addActivity, { activityId, date: path('/date'), people: path('/people') }),
            }),
          ],
        }),
      ),
    ),
  })
}
