import { day, daysLater, forPeople, longDay, money, timeOfDay } from '@cool-ai/beach-page/page/scene'
import { useState } from 'preact/hooks'
import { ChooseButton } from './choose-button.tsx'
import { sortedFlights, type Flight, type FlightOrder } from './scene/flights.ts'
import { Sorting } from './sorting.tsx'

const orders = [
  // As the agent has them: “the second one” is the second here.
  ['given', 'Best'],
  ['price', 'Price'],
  ['departure', 'Departure'],
  ['duration', 'Shortest'],
] as const satisfies readonly (readonly [FlightOrder, string])[]

/** Flights to choose from, in the order that the reader wants. */
export function FlightCards({ flights }: { readonly flights: readonly Flight[] }) {
  const [order, setOrder] = useState<FlightOrder>('given')
  const [first] = flights
  return (
    <section class="results" role="group" aria-label="Flights">
      <div class="results-head">
        <h3>
          {first?.from} to {first?.to}, {day(first?.departure ?? '')}
        </h3>
        {flights.length > 1 && <Sorting orders={orders} order={order} onChange={setOrder} />}
      </div>
      <ul class="results">
        {sortedFlights(flights, order).map((flight) => (
          <FlightCard key={`${flight.flightNumber} ${flight.departure}`} flight={flight} />
        ))}
      </ul>
    </section>
  )
}

function FlightCard({ flight }: { readonly flight: Flight }) {
  const { flightNumber, airline, departure, arrival, price, currency, stops, from, to, people } = flight
  const later = daysLater(departure, arrival)
  return (
    <li class="card flight">
      <div class="carrier">
        <b>{airline}</b>
        <span class="minor">{flightNumber}</span>
      </div>
      <div class="leg">
        <div>
          <div class="time">{timeOfDay(departure)}</div>
          <div class="minor">{from}</div>
        </div>
        <div class="path">{stopsInWords(stops)}</div>
        <div class="end">
          <div class="time">
            {timeOfDay(arrival)}
            {later > 0 && <sup> +{later}</sup>}
          </div>
          <div class="minor">{to}</div>
        </div>
      </div>
      <div class="fare">
        <div class="amount">
          {money(price, currency)} <small>per person</small>
        </div>
        <ChooseButton
          what={`${airline} ${flightNumber}`}
          message={`Add ${flightNumber} on ${longDay(departure)}${forPeople(people)}`}
          isChosen={({ type, title, start }) =>
            type === 'flight' && title.startsWith(`${flightNumber} `) && start.slice(0, 10) === departure.slice(0, 10)
          }
        />
      </div>
    </li>
  )
}

function stopsInWords(stops: number | undefined): string {
  if (stops === undefined) return ''
  return stops === 0 ? 'Direct' : stops === 1 ? '1 stop' : `${stops} stops`
}
