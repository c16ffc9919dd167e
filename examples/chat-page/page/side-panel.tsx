import { BeachMark } from './beach-mark.tsx'
import type { Scene } from './chat.ts'
import { ConversationList } from './conversation-list.tsx'
import { useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'
import { NearbyLinks } from './nearby-links.tsx'
import { ThemeChoice } from './theme-choice.tsx'

interface SidePanelProps {
  readonly scene: Scene
  readonly onChoose: () => void
  readonly onDevice: () => void
  readonly onShortcuts: () => void
}

/** Agents, conversations and settings. */
export function SidePanel({ scene, onChoose, onDevice, onShortcuts }: SidePanelProps) {
  const { chat, about } = useSurroundings()
  const others = about.links.filter(({ news }) => news === undefined)
  return (
    <aside class="side" aria-label="Agents and conversations">
      <div class="brand">
        <BeachMark />
        Beach
      </div>
      <button
        class="button"
        type="button"
        onClick={() => {
          void chat.fresh()
          onChoose()
        }}
      >
        <Icon name="plus" />
        New conversation
      </button>
      <nav aria-label="Agents">
        <h2>Agents</h2>
        <ul class="entries">
          <li class="entry current">
            <a href="/" aria-current="page">
              <span class="mark">{about.name.charAt(0)}</span>
              {about.name}
            </a>
          </li>
          {others.map(({ label, url }) => (
            <li class="entry" key={url}>
              <a href={url}>
                <span class="mark">{label.charAt(0)}</span>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <NearbyLinks links={about.links.filter(({ news }) => news !== undefined)} />
      <ConversationList conversations={scene.conversations} current={scene.sessionId} onChoose={onChoose} />
      <div class="foot">
        <div class="entry">
          <button class="row" type="button" disabled={scene.sessionId === undefined} onClick={onDevice}>
            <Icon name="device" />
            Continue on another device
          </button>
        </div>
        <div class="entry">
          <button class="row" type="button" onClick={onShortcuts}>
            <Icon name="keyboard" />
            Keyboard
          </button>
        </div>
        <ThemeChoice />
      </div>
    </aside>
  )
}
