import { SlackStandIn, slackButtons, slackText, type SlackMessage } from '@cool-ai/beach-testing/slack'
import { createSlackAdapter } from '@chat-adapter/slack'
import { silent } from '../silent.ts'
import { seenMessages } from './seen-messages.ts'
import type { Said, WorkChat } from './work-chat.ts'

const team = 'CTEAM'

interface SlackInput {
  readonly block_id: string
  readonly label: { readonly text: string }
  readonly element: Readonly<Record<string, unknown>> & { readonly initial_option?: { readonly value: string } }
}

function initialOf({ initial_option: option, ...element }: SlackInput['element']): unknown {
  return option?.value ?? element.initial_value ?? element.initial_date
}

/** Slack, with people of one workspace. */
export function slackChat(now: () => number): WorkChat & { readonly standIn: SlackStandIn } {
  const standIn = new SlackStandIn(now)
  const user = (person: string) => `U${person.toUpperCase()}`
  const { seen, found } = seenMessages((message: SlackMessage) => ({
    id: message.ts,
    thread: message.thread ?? message.channel,
    text: slackText(message),
    buttons: slackButtons(message).map(({ label }) => label),
    edits: message.edits,
    file: message.file,
  }))
  const shown = (channel: string, person: string) => standIn.shown(channel, user(person)).map(seen)
  let count = 100
  const recent = () => `${Math.floor(now() / 1_000)}.000${++count}`
  const spoken = (person: string, text: string, workspace = 'T1') => ({
    type: 'message',
    channel_type: 'im',
    channel: `D${user(person)}`,
    user: user(person),
    text,
    team: workspace,
    team_id: workspace,
    ts: recent(),
  })
  const body = () => standIn.eventBody(spoken('Eve', 'hello'))
  return {
    name: 'slack',
    workspace: 'T1',
    standIn,
    server: standIn.server,
    rate: standIn.rate,
    adapter: () => createSlackAdapter({ ...standIn.account, logger: silent }),
    listen: () => standIn.server.listen(),
    reach: (webhook) => void (standIn.webhook = webhook),
    close: () => standIn.close(),
    user,
    tell: (person, text, { id: ts }: Said = {}) => standIn.say(user(person), text, { ts }),
    async mention(person, text, { thread, id: ts }: Said = {}) {
      const said = await standIn.say(user(person), `<@${standIn.botUserId}> ${text}`, { channel: team, thread, ts })
      return thread ?? said
    },
    murmur: (person, text) => standIn.say(user(person), text, { channel: team }),
    press: (person, message, label, event) => standIn.press(user(person), found(message), label, event),
    async openForm(person, message, label) {
      const before = standIn.views.length
      await standIn.press(user(person), found(message), label)
      const { view } = standIn.views[before] ?? {}
      if (view === undefined) throw new Error('The button has opened no form.')
      const blocks = view.blocks as readonly SlackInput[]
      const idOf = (name: string) => blocks.find(({ label: words }) => words.text === name)?.block_id ?? name
      return {
        fields: Object.fromEntries(blocks.map(({ label: words, element }) => [words.text, initialOf(element)])),
        send: (values, by = person) =>
          standIn.submit(
            user(by),
            view,
            Object.fromEntries(Object.entries(values).map(([name, value]) => [idOf(name), value])),
          ),
      }
    },
    command(person, words, { inTeam, event: trigger }) {
      const [command = '', ...text] = words.split(' ')
      return standIn.command(user(person), command, text.join(' '), { trigger, ...(inTeam && { channel: team }) })
    },
    direct: (person) => shown(`D${user(person)}`, person),
    team: (person) => shown(team, person),
    remove: (message) => void standIn.messages.splice(standIn.messages.indexOf(found(message)), 1),
    attempts: () => standIn.attempts,
    statuses: () => standIn.statuses.length,
    refusal: { kind: 'answer', status: 200, body: { ok: false, error: 'is_archived' } },
    forged: {
      'has no signature': () => fetch(standIn.webhook, { method: 'POST', body: body() }),
      'is signed with another secret': () => {
        const given = body()
        return standIn.deliver(given, standIn.signed(given, { secret: 'another-secret' }))
      },
      'was signed more than five minutes ago': () => {
        const given = body()
        return standIn.deliver(given, standIn.signed(given, { at: Date.now() - 6 * 60_000 }))
      },
    },
    odd: {
      'a body that is no JSON': () => standIn.deliver('{"type":'),
      'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
      'a key that reaches a prototype': () =>
        standIn.deliver('{"__proto__":{"polluted":true},"type":"event_callback"}'),
      'a body of other things than it should have': () => standIn.deliver('{"type":"event_callback","event":7}'),
      'a message without a sender': () =>
        standIn.deliver(
          standIn.eventBody({ type: 'message', channel: 'DX', channel_type: 'im', ts: '1.1', text: 'x' }),
        ),
      'a message of an unknown type': () =>
        standIn.deliver(standIn.eventBody({ type: 'hologram', channel: 'DX', ts: '1.2' })),
    },
    event(person, text, workspace) {
      const given = standIn.eventBody(spoken(person, text, workspace))
      return () => standIn.deliver(given)
    },
  }
}
