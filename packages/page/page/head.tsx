import type { Connection } from '@cool-ai/beach-client'
import { ConnectionState } from './connection-state.tsx'
import { usePanel, useShowPreviews, useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'

interface HeadProps {
  readonly connection: Connection
  readonly lastTurn: string | undefined
  readonly onMenu: () => void
  readonly onPanel: () => void
}

/** Who is talked to, and whether they can be reached. */
export function Head({ connection, lastTurn, onMenu, onPanel }: HeadProps) {
  const { about, chat, extension } = useSurroundings()
  const shown = usePanel()
  const panel = shown === undefined ? undefined : extension.panel
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
      {panel !== undefined && (
        <button class="button small to-panel" type="button" onClick={onPanel}>
          <Icon name={panel.icon} />
          <span class="hidden">{panel.name}: </span>
          {panel.short(shown)}
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
