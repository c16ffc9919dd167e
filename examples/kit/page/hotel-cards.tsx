import { day, forPeople, longDay, money } from '@cool-ai/beach-page/page/scene'
import { useState } from 'preact/hooks'
import { ChooseButton } from './choose-button.tsx'
import { sortedHotels, type Hotel, type HotelOrder } from './scene/hotels.ts'
import { Sorting } from './sorting.tsx'

const orders = [
  ['rating', 'Rating'],
  ['price', 'Price'],
] as const satisfies readonly (readonly [HotelOrder, string])[]

/** Hotels, in the order that the reader wants. */
export function HotelCards({ hotels }: { readonly hotels: readonly Hotel[] }) {
  const [order, setOrder] = useState<HotelOrder>('rating')
  return (
    <section class="results" role="group" aria-label={stayTitle(hotels)}>
      <div class="results-head">
        <h3>{stayTitle(hotels)}</h3>
        {hotels.length > 1 && <Sorting orders={orders} order={order} onChange={setOrder} />}
      </div>
      <ul class="results">
        {sortedHotels(hotels, order).map((hotel) => (
          <HotelCard key={hotel.hotelId} hotel={hotel} />
        ))}
      </ul>
    </section>
  )
}

/** `Hotels in Corfu, Sat 15 Aug to Sat 22 Aug, for 2 people`, as far as it is known. */
function stayTitle([first]: readonly Hotel[]): string {
  const { destination, checkIn, checkOut, people } = first ?? {}
  const place = destination === undefined ? 'Hotels' : `Hotels in ${destination}`
  const stay = checkIn === undefined || checkOut === undefined ? '' : `, ${day(checkIn)} to ${day(checkOut)}`
  return `${place}${stay}${people === undefined ? '' : `,${forPeople(people)}`}`
}

function HotelCard({ hotel }: { readonly hotel: Hotel }) {
  const {
    name,
    place,
    stars,
    rating,
    board,
    nights,
    checkIn = '',
    checkOut = '',
    people,
    perNight,
    total,
    currency,
  } = hotel
  const facts = [stars !== undefined && `${stars} stars`, rating !== undefined && `rated ${rating}`, board].filter(
    Boolean,
  )
  return (
    <li class="card offer hotel">
      <div>
        <b>{name}</b>
        <p class="minor">{place}</p>
        <p class="minor">{facts.join(' · ')}</p>
      </div>
      <div class="fare">
        <div class="amount">{money(total, currency)}</div>
        <span class="minor">
          {money(perNight, currency)} per night{nights !== undefined && `, ${nights} nights`}
        </span>
        <ChooseButton
          what={name}
          message={`Add ${name} from ${longDay(checkIn)} to ${longDay(checkOut)}${forPeople(people)}`}
          isChosen={(item) => item.type === 'hotel' && item.title === name && item.start === checkIn}
        />
      </div>
    </li>
  )
}
