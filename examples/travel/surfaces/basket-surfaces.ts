import { ui, type UiNode } from '@cool-ai/beach-a2ui'
import type { Booking } from '../domain/booking.ts'
import type { Package } from '../domain/package.ts'
import { factsOf, type PackageLine } from '../domain/package-line.ts'
import { actions } from './actions.ts'
import { offerButton } from './offer-card.ts'

/** The basket: what is in it, what it comes to, and what can be done with it. */
export function packageSurface({ packageId, items, total }: Package, surfaceId: string) {
  if (items.length === 0) return ui.surface({ surfaceId, root: ui.card(ui.text('Your basket is empty.')) })
  return ui.surface({
    surfaceId,
    root: ui.card(
      ui.column(
        ui.text('Your basket', { variant: 'h3' }),
        ...items.map((item) => ui.row({ justify: 'spaceBetween', align: 'center' }, line(item), removal(item))),
        ui.divider(),
        ui.row({ justify: 'spaceBetween', align: 'center' }, ui.text(`**Total ${total}**`), booking(packageId, total)),
      ),
    ),
  })
}

/** What was booked. */
export function bookingSurface({ reference, items, total }: Booking, surfaceId: string) {
  return ui.surface({
    surfaceId,
    root: ui.card(
      ui.column(
        ui.text(`Booked: ${reference}`, { variant: 'h3' }),
        ...items.map(line),
        ui.text(`**Total ${total}**`),
        ui.button({ id: 'itinerary', label: 'Make an itinerary', action: ui.action(actions.makeItinerary) }),
      ),
    ),
  })
}

function line(item: PackageLine): UiNode {
  return ui.column({ weight: 1 }, ui.text(`**${item.title}**`), ui.text(factsOf(item), { variant: 'caption' }))
}

function removal({ itemId, title }: PackageLine): UiNode {
  return offerButton('Remove', title, { id: `remove-${itemId}`, action: ui.action(actions.removeItem, { itemId }) })
}

function booking(packageId: string, total: string): UiNode {
  const action = ui.action(actions.bookPackage, { packageId, total })
  return ui.button({ id: 'book', label: 'Book', variant: 'primary', action })
}
