import type { StreamPart } from '@cool-ai/beach-client'
import type { ComponentChildren } from 'preact'
import { BookingCard } from './booking-card.tsx'
import { OwnDataContext, useSurroundings } from './context.ts'
import { DataTable } from './data-table.tsx'
import { FlightCards } from './flight-cards.tsx'
import { NoteMarks } from './footnotes.tsx'
import { HotelCards } from './hotel-cards.tsx'
import { PackageCard } from './package-card.tsx'
import { ResearchSection } from './research-section.tsx'
import { basketIn, bookingIn } from './scene/basket.ts'
import { flightsIn } from './scene/flights.ts'
import { hotelsIn } from './scene/hotels.ts'
import { knownKinds } from './scene/kinds.ts'
import { peerName, peerOf } from './scene/peers.ts'
import { sectionIn } from './scene/research.ts'
import { weekIn } from './scene/week.ts'
import { WeekView } from './week-view.tsx'

interface DataViewProps {
  readonly part: StreamPart
  readonly answer: string
  readonly notes: readonly number[]
}

/** Data in the form that its kind has here; a table for whatever has none, or is not what its kind says. */
export function DataView({ part, answer, notes }: DataViewProps) {
  const { about } = useSurroundings()
  const { kind = 'data' } = part.metadata
  const peer = peerOf(part)
  const marks = <NoteMarks answer={answer} notes={notes} />
  return (
    <div class={`part domain-data ${knownKinds.has(kind) ? kind : 'other'}`}>
      {peer !== undefined && <p class="from">From {peerName(peer, about.peers ?? {})}</p>}
      <OwnDataContext.Provider value={peer === undefined}>
        {formOf(kind, part.data, marks) ?? (
          <>
            <DataTable data={part.data} />
            {marks}
          </>
        )}
      </OwnDataContext.Provider>
    </div>
  )
}

function formOf(kind: string, data: unknown, marks: ComponentChildren): ComponentChildren | undefined {
  switch (kind) {
    case 'flight-results':
      return when(flightsIn(data), (flights) => <FlightCards flights={flights} />)
    case 'hotel-results':
      return when(hotelsIn(data), (hotels) => <HotelCards hotels={hotels} />)
    case 'research-section':
      return when(sectionIn(data), (section) => <ResearchSection section={section} marks={marks} />)
    case 'package':
      return when(basketIn(data), (basket) => <PackageCard basket={basket} />)
    case 'booking':
      return when(bookingIn(data), (booking) => <BookingCard booking={booking} />)
    case 'week':
      return when(weekIn(data), (week) => <WeekView week={week} />)
    default:
      return undefined
  }
}

function when<Value>(
  value: Value | undefined,
  form: (value: Value) => ComponentChildren,
): ComponentChildren | undefined {
  return value === undefined ? undefined : form(value)
}
