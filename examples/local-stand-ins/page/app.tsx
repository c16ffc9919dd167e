import { useEffect } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { Count } from './count.tsx'
import { Mailbox } from './mailbox.tsx'
import { Phone } from './phone.tsx'
import { WorkChat } from './work-chat.tsx'
import { useNews } from './use-polled.ts'

type Tab = 'mailbox' | 'phone' | 'chat'

const names: Readonly<Record<Tab, string>> = { mailbox: 'Mailbox', phone: 'Phone', chat: 'Work chat' }

/** One of the pages, with the way to the others and back to the chat. */
export function App({ place }: { readonly place: Tab }) {
  const news = { mailbox: useNews('mailbox'), phone: useNews('phone'), chat: useNews('chat') }
  const count = news[place]
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${names[place]} · Beach`
  }, [count, place])
  return (
    <div class="page">
      <header class="top">
        <a class="button small" href="/">
          <Icon name="chat" />
          Chat
        </a>
        <nav aria-label="Places">
          {(['mailbox', 'phone', 'chat'] as const).map((name) => (
            <a key={name} href={`/local/${name}`} {...(name === place && { 'aria-current': 'page' as const })}>
              {names[name]}
              <Count count={news[name]} />
            </a>
          ))}
        </nav>
        <p class="about">On this machine only: nothing here goes to a real mailbox, phone or work chat.</p>
      </header>
      {place === 'mailbox' && <Mailbox />}
      {place === 'phone' && <Phone />}
      {place === 'chat' && <WorkChat />}
    </div>
  )
}
