import type { Connection } from '@cool-ai/beach-client'
import { ConnectionState } from './connection-state.tsx'
import { useBasket, useShowPreviews, useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'

interface HeadProps {
  readonly connection: Connection
  readonly lastTurn: string | undefined
  readonly onMenu: () => void
  readonly onBasket: () => void
}

/** Who is talked to, and whether they can be reached. */
export function Head({ connection, lastTurn, onMenu, onBasket }: HeadProps) {
  const { about, chat } = useSurroundings()
  const basket = useBasket()
  const showPreviews = useShowPreviews()
  return (
    <header class="head">
      <button class="icon-button menu" type="button" aria-label="Menu" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1>{about.name}</h1>
      <ConnectionState connection={connection} />
      <span class="spring" />
      {lastTurn !== undefined && (
        <button
          class="button small to-previews"
          type="button"
          aria-label="See what each channel gets"
          onClick={() => showPreviews(lastTurn)}
        >
          <Icon name="channels" />
          <span class="words">See what each channel gets</span>
        </button>
      )}
      {basket !== undefined && (
        <button class="button small to-basket" type="button" onClick={onBasket}>
          <Icon name="basket" />
          <span class="hidden">Basket: </span>
          {basket.total}
        </button>
      )}
      <button
        class="icon-button fresh"
        type="button"
        aria-label="New conversation"
        onClick={() => {
          void chat.fresh()
        }}
      >
        <Icon name="plus" />
      </button>
    </header>
  )
}
