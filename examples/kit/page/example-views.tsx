import type { DataForm, PageExtension, Panel } from '@cool-ai/beach-page/page'
import type { ComponentChildren } from 'preact'
import { BasketPanel } from './basket-panel.tsx'
import { BookingCard } from './booking-card.tsx'
import { FlightCards } from './flight-cards.tsx'
import { HotelCards } from './hotel-cards.tsx'
import { PackageCard } from './package-card.tsx'
import { ResearchSection } from './research-section.tsx'
import { basketFold, basketIn, bookingIn, isEmptyPackage, type Basket } from './scene/basket.ts'
import { flightsIn } from './scene/flights.ts'
import { hotelsIn } from './scene/hotels.ts'
import { sectionIn } from './scene/research.ts'
import { weekIn } from './scene/week.ts'
import { WeekView } from './week-view.tsx'

const basketPanel: Panel<Basket> = {
  name: 'Basket',
  icon: 'basket',
  fold: basketFold,
  short: ({ total }) => total,
  view: (basket, onClose) => <BasketPanel basket={basket} {...(onClose && { onClose })} />,
}

/** What the pages of the travel agent and the organiser have besides. */
export const exampleViews: PageExtension = {
  forms: {
    'flight-results': form(flightsIn, (flights) => <FlightCards flights={flights} />),
    'hotel-results': form(hotelsIn, (hotels) => <HotelCards hotels={hotels} />),
    'research-section': form(sectionIn, (section, marks) => <ResearchSection section={section} marks={marks} />),
    package: form(basketIn, (basket) => <PackageCard basket={basket} />),
    booking: form(bookingIn, (booking) => <BookingCard booking={booking} />),
    week: form(weekIn, (week) => <WeekView week={week} />),
  },
  isHidden: isEmptyPackage,
  panel: basketPanel,
}

function form<Value>(
  read: (data: unknown) => Value | undefined,
  show: (value: Value, marks: ComponentChildren) => ComponentChildren,
): DataForm {
  return (data, marks) => {
    const value = read(data)
    return value === undefined ? undefined : show(value, marks)
  }
}
