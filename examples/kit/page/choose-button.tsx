import { Icon, focusField, useOwnData, usePanel, useSurroundings } from '@cool-ai/beach-page/page'
import type { Basket, BasketItem } from './scene/basket.ts'

interface ChooseButtonProps {
  readonly what: string
  /** What choosing it says, in words that the agent understands as it would a person's. */
  readonly message: string
  readonly isChosen: (item: BasketItem) => boolean
}

/**
 * Puts something into the basket, by asking the agent for it. What another agent has found has no button: it would go
 * into that one's basket, and this agent is the one who is spoken to here.
 */
export function ChooseButton({ what, message, isChosen }: ChooseButtonProps) {
  const { chat } = useSurroundings()
  const choose = () => {
    chat.send(message)
    focusField()
  }
  const chosen = (usePanel() as Basket | undefined)?.items.some(isChosen) === true
  if (!useOwnData()) return null
  return (
    <div class="choose">
      {chosen ? (
        <span class="badge">
          <Icon name="check" />
          In your basket
        </span>
      ) : (
        <button class="button small" type="button" aria-label={`Choose ${what}`} onClick={choose}>
          Choose
        </button>
      )}
    </div>
  )
}
