import { createA2uiRenderer, type ComponentView } from '@cool-ai/beach-a2ui/renderer'
import { connect, openSession } from '@cool-ai/beach-client'
import { html } from 'lit'
import { harbourCatalog } from '../harbour-catalog.ts'

interface Berth {
  readonly name: string
  readonly price: number
}

function berthMap({ props, isDisabled, set, act }: ComponentView) {
  const book = (name: string) => {
    set('chosen', name)
    act('action')
  }
  return html`<fieldset class="berths" ?disabled=${isDisabled}>
    <legend>${props.title}</legend>
    ${(props.berths as Berth[]).map(
      ({ name }) => html`<button type="button" @click=${() => book(name)}>${name}</button>`,
    )}
  </fieldset>`
}

const kept = sessionStorage.getItem('session')
const session = kept === null ? await openSession() : { sessionId: kept }
sessionStorage.setItem('session', session.sessionId)
const conversation = connect(session)

const surfaces = createA2uiRenderer({
  container: document.querySelector('main') ?? document.body,
  onAction: async ({ action }) => void (await conversation.act(action)),
  onError: ({ problems }) => console.error(problems.join('\n')),
  catalogs: [
    {
      catalog: harbourCatalog,
      components: { BerthMap: berthMap },
      functions: { euros: ({ value }) => (typeof value === 'number' ? `€${value}` : '') },
      styles: '.berths { display: flex; gap: 0.5rem; border: 1px solid currentColor; padding: 0.5rem; }',
    },
  ],
})
conversation.stream.on('part', (part) => {
  if (part.partType === 'a2ui-surface') surfaces.handle(part)
})
if (kept === null) await conversation.send('Which berths are free?')
