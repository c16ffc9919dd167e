import { useState } from 'preact/hooks'
import { sortedCruises, type Cruise, type CruiseOrder } from './scene/cruises.ts'
import { day, money } from './scene/format.ts'
import { Sorting } from './sorting.tsx'

const orders = [
  ['price', 'Price'],
  ['departure', 'Departure'],
] as const satisfies readonly (readonly [CruiseOrder, string])[]

/** Cruises, in the order that the reader wants. */
export function CruiseCards({ cruises }: { readonly cruises: readonly Cruise[] }) {
  const [order, setOrder] = useState<CruiseOrder>('price')
  return (
    <section class="results" aria-label="Cruises">
      <div class="results-head">
        <h3>Cruises</h3>
        {cruises.length > 1 && <Sorting orders={orders} order={order} onChange={setOrder} />}
      </div>
      <ul class="results">
        {sortedCruises(cruises, order).map((cruise) => (
          <CruiseCard key={`${cruise.cruiseId} ${cruise.departure}`} cruise={cruise} />
        ))}
      </ul>
    </section>
  )
}

function CruiseCard({
  cruise: { name, ship, ports, nights, departure, price, currency },
}: {
  readonly cruise: Cruise
}) {
  const facts = [day(departure), nights !== undefined && `${nights} nights`, ship].filter(Boolean)
  return (
    <li class="card offer">
      <div>
        <b>{name}</b>
        <p class="minor">{facts.join(' · ')}</p>
        <p class="minor">{ports.join(' – ')}</p>
      </div>
      <div class="fare">
        <div class="amount">
          {money(price, currency)} <small>per person</small>
        </div>
      </div>
    </li>
  )
}
