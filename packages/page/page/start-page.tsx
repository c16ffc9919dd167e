import { render } from 'preact'
import { readAbout } from './about.ts'
import { App } from './app.tsx'
import { paced } from './background-throttle.ts'
import { Chat, type Scene } from './chat.ts'
import { SurroundingsContext } from './context.ts'
import type { PageExtension } from './extension.ts'
import { joinCodeIn } from './join-code.ts'
import { Conversations } from './scene/conversations.ts'
import { applyTheme, storedTheme } from './theme.ts'

/** Shows the page, and goes on with the conversation that this browser had. */
export async function startPage(extension: PageExtension = {}): Promise<void> {
  applyTheme(storedTheme())
  const root = document.getElementById('app')
  if (root === null) throw new Error('The page has no #app.')
  let scene: Scene | undefined
  const draw = paced(() => {
    if (scene === undefined) return
    render(
      <SurroundingsContext.Provider value={surroundings}>
        <App scene={scene} />
      </SurroundingsContext.Provider>,
      root,
    )
  })
  const about = readAbout(document)
  // The page may be below a path, with other agents' pages on the same host.
  const here = new URL('.', location.href)
  const chat = new Chat({
    url: here.href,
    conversations: new Conversations(localStorage, here.pathname),
    peers: about.peers,
    panel: extension.panel,
    onChange(now) {
      scene = now
      draw()
    },
  })
  const surroundings = { chat, about, extension, joinCode: joinCodeIn(location) }
  addEventListener('storage', () => chat.refresh())
  await chat.start()
}
