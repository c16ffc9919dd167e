import { Icon, type IconName } from '@cool-ai/beach-page/page'
import { day, money, timeOfDay } from '@cool-ai/beach-page/page/scene'
import type { Basket, BasketItem } from './scene/basket.ts'

const icons: Readonly<Record<string, IconName>> = { flight: 'plane', hotel: 'bed', cruise: 'ship', activity: 'pin' }

interface PackageLinesProps {
  readonly basket: Basket
  /** For a package that can still be changed. */
  readonly onRemove?: (item: BasketItem) => void
}

/** What a package is made of, and what it comes to. */
export function PackageLines({ basket: { items, total }, onRemove }: PackageLinesProps) {
  return (
    <>
      <ul class="lines">
        {items.map((item) => (
          <li key={item.itemId} class="line">
            <Icon name={icons[item.type] ?? 'check'} />
            <div>
              {item.title}
              <p class="minor">{when(item)}</p>
              <p class="minor">{item.details}</p>
            </div>
            <div class="end">
              <span class="amount">{money(item.totalPence / 100, 'GBP')}</span>
              {onRemove !== undefined && (
                <button class="link" type="button" aria-label={`Remove ${item.title}`} onClick={() => onRemove(item)}>
                  Remove
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      <div class="sum">
        <span>Total</span>
        <span>{total}</span>
      </div>
    </>
  )
}

function when({ start, end }: BasketItem): string {
  const from = [day(start), timeOfDay(start)].filter(Boolean).join(', ')
  return timeOfDay(start) === '' && end !== '' ? `${from} to ${day(end)}` : from
}
