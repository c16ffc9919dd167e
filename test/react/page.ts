// A component of an application, as a user would write it.
import { Conversation, useBeach } from '@cool-ai/beach-react'
import { createElement as h, type ReactElement } from 'react'

const peers = { travel: 'Sally' }

export interface PageProps {
  readonly url: string
}

/** A component of an application, with a conversation that it uses next to `<Conversation>`. */
export function Page({ url }: PageProps): ReactElement {
  const beach = useBeach({ url })
  const open = beach.approvals.filter(
    ({ outcome, mine, isOwn }) => (outcome ?? mine) === undefined && isOwn !== false,
  ).length
  return h(
    'main',
    null,
    h('h1', null, 'Shop'),
    h('p', { id: 'state' }, `${beach.messages.length} messages, ${open} to decide, ${beach.surfaces.length} surfaces`),
    h(Conversation, { beach, url, peers, title: 'Clerk', suggestions: ['What can you do?'] }),
  )
}
