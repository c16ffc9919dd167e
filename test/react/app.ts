// A page with the React components, as a user would write it; rendered on a server and bundled for the browser by the test.
import { Conversation, useBeach } from '@cool-ai/beach-react'
import { createElement as h, StrictMode, type ReactElement } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

export interface PageProps {
  readonly url: string
}

/** A component of an application, with a conversation that it uses beside `<Conversation>`. */
export function Page({ url }: PageProps): ReactElement {
  const beach = useBeach({ url })
  const open = beach.approvals.filter(({ outcome, mine }) => (outcome ?? mine) === undefined).length
  return h(
    'main',
    null,
    h('h1', null, 'Shop'),
    h('p', { id: 'state' }, `${beach.messages.length} messages, ${open} to decide, ${beach.surfaces.length} surfaces`),
    h(Conversation, { beach, url, title: 'Clerk', suggestions: ['What can you do?'] }),
  )
}

const problems: string[] = []
const keep = (error: unknown) => void problems.push(String(error))

/** Takes over what the server has rendered, as a framework does. */
export function hydrate(props: PageProps): void {
  const root = document.getElementById('root')
  if (root !== null)
    hydrateRoot(root, h(StrictMode, null, h(Page, props)), { onRecoverableError: keep, onUncaughtError: keep })
}

export function show(props: PageProps): void {
  const root = document.getElementById('root')
  if (root !== null)
    createRoot(root, { onUncaughtError: keep, onCaughtError: keep }).render(h(StrictMode, null, h(Page, props)))
}

export { problems }
