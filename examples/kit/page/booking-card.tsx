import { Icon } from '@cool-ai/beach-page/page'
import { PackageLines } from './package-lines.tsx'
import type { Booking } from './scene/basket.ts'

/** What was booked, with its reference. */
export function BookingCard({ booking }: { readonly booking: Booking }) {
  return (
    <section class="card padded booked" role="group" aria-label="Booking">
      <p class="top">
        <Icon name="check" />
        Booked
        <span class="reference">{booking.reference}</span>
      </p>
      <PackageLines basket={booking} />
    </section>
  )
}
