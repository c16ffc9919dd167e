import { ui, type UiNode } from '@cool-ai/beach-a2ui'

interface Offer {
  readonly title: string
  readonly details: string
  readonly price: string
  readonly buttons: readonly UiNode[]
}

/** Something that can be chosen: what it is, what it costs, and what can be done with it. */
export function offerCard({ title, details, price, buttons }: Offer): UiNode {
  return ui.card(
    ui.row(
      { justify: 'spaceBetween', align: 'center' },
      ui.column({ weight: 1 }, ui.text(title), ui.text(details, { variant: 'caption' })),
      ui.column({ align: 'end' }, ui.text(price), ui.row(...buttons)),
    ),
  )
}

/** As many of a list as a surface shows. */
export function firstOf<Item>(items: readonly Item[], max = 12): readonly Item[] {
  return items.slice(0, max)
}

/** A button whose accessible name says which card it belongs to. */
export function offerButton(
  label: string,
  what: string,
  options: Pick<Parameters<typeof ui.button>[0], 'action' | 'variant' | 'id'>,
): UiNode {
  return ui.button({ label, accessibility: { label: `${label}: ${what}` }, ...options })
}
