import { useEffect, useState } from 'preact/hooks'
import { call } from './api.ts'
import { Count } from './count.tsx'
import { PeopleTabs } from './people-tabs.tsx'
import type { PhoneApp, PhoneMessage, PhoneState } from './shapes.ts'
import { PhoneThread } from './phone-thread.tsx'
import { usePolled } from './use-polled.ts'

const apps: Readonly<Record<PhoneApp, string>> = { whatsapp: 'WhatsApp', sms: 'SMS' }

/** The people's phones. */
export function Phone() {
  const { value: state, problem, refresh } = usePolled<PhoneState>('phones')
  const [who, setWho] = useState<string>()
  const [app, setApp] = useState<PhoneApp>('whatsapp')
  const phone = state?.phones.find(({ id }) => id === who) ?? state?.phones[0]
  const unread = newIn(phone?.[app] ?? [])
  useEffect(() => {
    // What is on the screen has been seen.
    if (phone === undefined || unread === 0 || document.hidden) return
    void call(`phones/${phone.id}/${app}/read`, {}).then(refresh, () => {})
  }, [phone?.id, app, unread])
  if (state === undefined || phone === undefined) return <p class="notice">{problem ?? 'One moment…'}</p>
  return (
    <main class="phones">
      <PeopleTabs
        label="Whose phone"
        people={state.phones.map(({ id, name, phone: number, whatsapp, sms }) => ({
          id,
          name,
          detail: number,
          count: newIn(whatsapp) + newIn(sms),
        }))}
        chosen={phone.id}
        onChoose={setWho}
      />
      <section class="phone" aria-label={`Phone of ${phone.name}`}>
        <div class="apps" role="group" aria-label="App">
          {(['whatsapp', 'sms'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={name === app} onClick={() => setApp(name)}>
              {apps[name]}
              <Count count={newIn(phone[name])} />
            </button>
          ))}
        </div>
        <h1>
          {state.agent} <span class="minor">{app === 'sms' ? state.smsNumber : 'business account'}</span>
        </h1>
        {problem !== undefined && <p class="problem">{problem}</p>}
        <PhoneThread key={`${phone.id} ${app}`} phone={phone.id} app={app} messages={phone[app]} onChange={refresh} />
      </section>
    </main>
  )
}

function newIn(messages: readonly PhoneMessage[]): number {
  return messages.filter(({ isNew }) => isNew).length
}
