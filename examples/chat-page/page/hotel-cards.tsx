import { useState } from 'preact/hooks'
import { ChooseButton } from './choose-button.tsx'
import { forPeople, money } from './scene/format.ts'
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
    <section class="results" aria-label="Hotels">
      <div class="results-head">
        <h3>Hotels</h3>
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
    <li class="card offer">
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
          message={`Add ${name} from ${checkIn} to ${checkOut}${forPeople(people)}`}
          isChosen={(item) => item.type === 'hotel' && item.title === name && item.start === checkIn}
        />
      </div>
    </li>
  )
}
