import { useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { call } from './api.ts'
import { MailList } from './mail-list.tsx'
import { MailView } from './mail-view.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import type { MailboxState, MailSummary } from './shapes.ts'
import { usePolled } from './use-polled.ts'
import { WriteMail } from './write-mail.tsx'

/** What is open next to the list: a mail, or a new one that is being written. */
type Open = { readonly kind: 'mail'; readonly id: string } | { readonly kind: 'new' }

/** The people's mailboxes. */
export function Mailbox() {
  const { value: state, problem, refresh } = usePolled<MailboxState>('mails')
  const [who, setWho] = useState<string>()
  const [open, setOpen] = useState<Open>()
  const box = state?.boxes.find(({ id }) => id === who) ?? state?.boxes[0]
  if (state === undefined || box === undefined) return <p class="notice">{problem ?? 'One moment…'}</p>
  const { agent, boxes } = state
  const show = (mail: MailSummary) => {
    setOpen({ kind: 'mail', id: mail.id })
    if (mail.isNew) void call(`mails/${mail.id}/read`, {}).then(refresh)
  }
  const sent = async () => {
    setOpen(undefined)
    await refresh()
  }
  return (
    <main class={open === undefined ? 'mailbox' : 'mailbox reading'}>
      <section class="aside" aria-label="Mails">
        {open === undefined && <h1 class="hidden">Mailbox</h1>}
        <PeopleTabs
          label="Whose mailbox"
          people={boxes.map(({ id, name, address, mails }) => ({
            id,
            name,
            detail: address,
            count: mails.filter(({ isNew }) => isNew).length,
          }))}
          chosen={box.id}
          onChoose={(id) => {
            setWho(id)
            setOpen(undefined)
          }}
        />
        <button class="button" type="button" onClick={() => setOpen({ kind: 'new' })}>
          <Icon name="plus" />
          Write to {agent.name}
        </button>
        {problem !== undefined && <p class="problem">{problem}</p>}
        <MailList mails={box.mails} open={open?.kind === 'mail' ? open.id : undefined} onOpen={show} />
      </section>
      <section class="content" aria-label="Mail">
        {open !== undefined && (
          <button class="button small back" type="button" onClick={() => setOpen(undefined)}>
            All mails
          </button>
        )}
        {open === undefined && (
          <p class="notice">
            Choose a mail. When something is to be booked in the chat, {boxes[0]?.name} is asked here.
          </p>
        )}
        {open?.kind === 'mail' && (
          <MailView key={open.id} id={open.id} person={box.id} agent={agent.name} onSent={sent} />
        )}
        {open?.kind === 'new' && (
          <WriteMail key={box.id} person={box.id} to={`${agent.name} <${agent.address}>`} onSent={sent} />
        )}
      </section>
    </main>
  )
}
