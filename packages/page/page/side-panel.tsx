import { isNearby } from './about.ts'
import { ApprovalsLink } from './approvals-link.tsx'
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
  const listed = about.links.filter((link) => !isNearby(link))
  // Where all agents are listed, the list is the same on every page.
  const agents = listed.some(isThis) ? listed : [{ label: about.name, url: './' }, ...listed]

  function isThis({ label }: { readonly label: string }): boolean {
    return label === about.name
  }
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
          {agents.map((agent) => (
            <li class={isThis(agent) ? 'entry current' : 'entry'} key={agent.url}>
              <a href={isThis(agent) ? './' : agent.url} aria-current={isThis(agent) ? 'page' : undefined}>
                <span class="mark">{agent.label.charAt(0)}</span>
                {agent.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <NearbyLinks links={about.links.filter(isNearby)} />
      <ConversationList conversations={scene.conversations} current={scene.sessionId} onChoose={onChoose} />
      <div class="foot">
        <ApprovalsLink />
        {about.inspector !== undefined && (
          <div class="entry">
            <a href={about.inspector}>
              <Icon name="eye" />
              Inspector
            </a>
          </div>
        )}
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
        {about.account !== undefined && (
          <div class="entry">
            <a href={about.account.url}>
              <Icon name="user" />
              {about.account.label}
            </a>
          </div>
        )}
        <ThemeChoice />
      </div>
    </aside>
  )
}
