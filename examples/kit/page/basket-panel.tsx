import { Icon, useOpenApprovals, useSurroundings } from '@cool-ai/beach-page/page'
import { PackageLines } from './package-lines.tsx'
import type { Basket } from './scene/basket.ts'

interface BasketPanelProps {
  readonly basket: Basket
  /** For a panel that lies over the page. */
  readonly onClose?: () => void
}

/** What was chosen so far, and what it comes to. */
export function BasketPanel({ basket, onClose }: BasketPanelProps) {
  const { chat } = useSurroundings()
  const waits = useOpenApprovals() > 0
  return (
    <aside class="side-panel basket" aria-label="Basket">
      <div class="top">
        <Icon name="basket" />
        <h2>Basket</h2>
        {onClose !== undefined && (
          <button class="icon-button" type="button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <PackageLines basket={basket} onRemove={({ title }) => chat.send(`Remove ${title}`)} />
      <button
        class="button primary"
        type="button"
        disabled={waits}
        onClick={() => {
          chat.send('Book it')
          onClose?.()
        }}
      >
        Book it
      </button>
      <p class="minor">
        {waits
          ? 'A request waits for your decision. Approve or deny it first.'
          : 'You are asked to approve before anything is booked.'}
      </p>
    </aside>
  )
}
