import { render } from 'preact'
import { readAbout } from './about.ts'
import { App } from './app.tsx'
import { Chat, type Scene } from './chat.ts'
import { SurroundingsContext } from './context.ts'
import { joinCodeIn } from './join-code.ts'
import { paced } from './background-throttle.ts'
import { Conversations } from './scene/conversations.ts'
import { applyTheme, storedTheme } from './theme.ts'

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
const chat = new Chat({
  conversations: new Conversations(localStorage),
  peers: about.peers,
  onChange(now) {
    scene = now
    draw()
  },
})
const surroundings = { chat, about, joinCode: joinCodeIn(location) }

addEventListener('storage', () => chat.refresh())
await chat.start()
