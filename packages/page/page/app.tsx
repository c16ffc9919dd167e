import type { ComponentChildren } from 'preact'
import { isUndecided } from '@cool-ai/beach-client/view'
import { useEffect, useState } from 'preact/hooks'
import { Announcer } from './announcer.tsx'
import { ApprovalDock } from './approval-dock.tsx'
import type { Scene } from './chat.ts'
import { Composer } from './composer.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import {
  ApprovalsContext,
  PanelContext,
  PreviewsContext,
  SurfacesContext,
  useSurroundings,
  WaitingContext,
} from './context.ts'
import { ConversationView } from './conversation-view.tsx'
import { DeviceSheet } from './device-sheet.tsx'
import { Dialog } from './dialog.tsx'
import { Head } from './head.tsx'
import { JoinSheet } from './join-sheet.tsx'
import { PreviewsSheet } from './previews-sheet.tsx'
import { ShortcutsSheet } from './shortcuts-sheet.tsx'
import { SidePanel } from './side-panel.tsx'
import { useWaiting } from './use-waiting.ts'

/** What lies over the page. */
type Overlay = 'menu' | 'panel' | 'device' | 'shortcuts'

/** The whole page. */
export function App({ scene }: { readonly scene: Scene }) {
  const { chat, joinCode, extension } = useSurroundings()
  const [overlay, setOverlay] = useState<Overlay>()
  const [previewed, setPreviewed] = useState<string>()
  const close = () => setOverlay(undefined)
  const { panel: shown, running } = scene
  const panel = shown === undefined ? undefined : extension.panel
  useShortcuts({
    escape: () => running && chat.stop(),
    fresh: () => void chat.fresh(),
  })
  const side = (
    <SidePanel
      scene={scene}
      onChoose={close}
      onDevice={() => setOverlay('device')}
      onShortcuts={() => setOverlay('shortcuts')}
    />
  )
  return (
    <PageProviders scene={scene} onPreviews={setPreviewed}>
      <a class="skip" href="#text" onClick={skipToField}>
        Skip to the message field
      </a>
      <div class={panel === undefined ? 'app' : 'app with-panel'}>
        {side}
        <div class="column">
          <Head
            connection={scene.connection}
            lastTurn={lastTurn(scene)}
            onMenu={() => setOverlay('menu')}
            onPanel={() => setOverlay('panel')}
          />
          <ConversationView scene={scene} />
          <section class="dock" aria-label="Write">
            <ConnectionNotice connection={scene.connection} fault={scene.fault} />
            <ApprovalDock approvals={scene.approvals} />
            <Composer
              running={running}
              disabled={scene.sessionId === undefined}
              onShortcuts={() => setOverlay('shortcuts')}
            />
          </section>
        </div>
        {panel?.view(shown)}
      </div>
      <Dialog class="drawer" label="Menu" open={overlay === 'menu'} onClose={close}>
        {side}
      </Dialog>
      {panel !== undefined && (
        <Dialog class="drawer right" label={panel.name} open={overlay === 'panel'} onClose={close}>
          {panel.view(shown, close)}
        </Dialog>
      )}
      <DeviceSheet open={overlay === 'device'} onClose={close} />
      <ShortcutsSheet open={overlay === 'shortcuts'} onClose={close} />
      <PreviewsSheet
        sessionId={scene.sessionId}
        turnId={previewed}
        exchanges={scene.exchanges}
        onClose={() => setPreviewed(undefined)}
      />
      <JoinSheet code={joinCode} />
      <Announcer scene={scene} />
    </PageProviders>
  )
}

/** Gives everything inside what the scene has for it. */
function PageProviders({ scene, onPreviews, children }: SurroundingsProps) {
  const open = scene.approvals.filter(isUndecided)
  const waiting = useWaiting(open.map(({ approvalId }) => approvalId))
  return (
    <ApprovalsContext.Provider value={scene.approvals}>
      <WaitingContext.Provider value={waiting}>
        <PanelContext.Provider value={scene.panel}>
          <PreviewsContext.Provider value={onPreviews}>
            <SurfacesContext.Provider value={scene.surfaces}>{children}</SurfacesContext.Provider>
          </PreviewsContext.Provider>
        </PanelContext.Provider>
      </WaitingContext.Provider>
    </ApprovalsContext.Provider>
  )
}

interface SurroundingsProps {
  readonly scene: Scene
  readonly onPreviews: (turnId: string) => void
  readonly children: ComponentChildren
}

/** The last turn that has said something. */
function lastTurn({ exchanges }: Scene): string | undefined {
  return exchanges.findLast(({ kind }) => kind === 'answer')?.key
}

function skipToField(event: Event): void {
  event.preventDefault()
  document.getElementById('text')?.focus()
}

/** Keys that work wherever the focus is, but for open dialogs, which have their own. */
function useShortcuts({ escape, fresh }: { readonly escape: () => void; readonly fresh: () => void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') !== null) return
      if (event.key === 'Escape') escape()
      else if (event.altKey && event.code === 'KeyN') {
        event.preventDefault()
        fresh()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
