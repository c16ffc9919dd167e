import { useEffect, useState } from 'preact/hooks'
import { call } from './api.ts'
import { ChatThreads } from './chat-threads.tsx'
import { Count } from './count.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import type { ChatMessage, ChatPlace, ChatState } from './shapes.ts'
import { usePolled } from './use-polled.ts'

/** The people's work chat. */
export function WorkChat() {
  const { value: state, problem, refresh } = usePolled<ChatState>('chats')
  const [who, setWho] = useState<string>()
  const [place, setPlace] = useState<ChatPlace>('channel')
  const person = state?.people.find(({ id }) => id === who) ?? state?.people[0]
  const unread = newIn(person?.[place] ?? [])
  useEffect(() => {
    // What is on the screen has been seen.
    if (person === undefined || unread === 0 || document.hidden) return
    void call(`chats/${person.id}/${place}/read`, {}).then(refresh, () => {})
  }, [person?.id, place, unread])
  if (state === undefined || person === undefined) return <p class="notice">{problem ?? 'One moment…'}</p>
  const names: Readonly<Record<ChatPlace, string>> = { channel: `# ${state.channel}`, direct: state.agent }
  return (
    <main class="work">
      <PeopleTabs
        label="Who is at the work chat"
        people={state.people.map(({ id, name, channel, direct }) => ({
          id,
          name,
          detail: 'Slack',
          count: newIn(channel) + newIn(direct),
        }))}
        chosen={person.id}
        onChoose={setWho}
      />
      <section class="workspace" aria-label={`Work chat of ${person.name}`}>
        <h1 class="hidden">Work chat</h1>
        <div class="apps" role="group" aria-label="Place">
          {(['channel', 'direct'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={name === place} onClick={() => setPlace(name)}>
              {names[name]}
              <Count count={newIn(person[name])} />
            </button>
          ))}
        </div>
        {problem !== undefined && <p class="problem">{problem}</p>}
        <ChatThreads
          key={`${person.id} ${place}`}
          person={person.id}
          place={place}
          agent={state.agent}
          messages={person[place]}
          onChange={refresh}
        />
      </section>
    </main>
  )
}

function newIn(messages: readonly ChatMessage[]): number {
  return messages.filter(({ isNew }) => isNew).length
}
