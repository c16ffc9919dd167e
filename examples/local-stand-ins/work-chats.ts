import { BeachError } from '@cool-ai/beach-core'
import { slackButtons, slackText, type SlackMessage, type SlackStandIn } from '@cool-ai/beach-testing/slack'
import type { Correspondent, LocalPerson } from './local-person.ts'
import type { ChatForm, ChatMessage, ChatPlace, ChatState } from './page/shapes.ts'
import type { ReadMarks } from './read-marks.ts'
import { taken } from './taken.ts'
import { formOf, type SlackView } from './work-chat-form.ts'

interface WorkChatsOptions {
  readonly slack: SlackStandIn
  readonly people: readonly LocalPerson[]
  readonly agent: Correspondent
  readonly read: ReadMarks
}

const channelName = 'trips'
const channelId = 'CTRIPS'

/** The id of a person in the work chat. */
export function chatUser({ id }: Pick<LocalPerson, 'id'>): string {
  return `U${id.toUpperCase()}`
}

/** The people's work chat: one channel, and each one's direct messages with the agent. */
export class WorkChats {
  readonly #options: WorkChatsOptions
  /** Forms that were opened, and by whom. */
  readonly #forms = new Map<string, { readonly person: string; readonly view: SlackView }>()

  constructor(options: WorkChatsOptions) {
    this.#options = options
    for (const person of options.people) options.slack.names.set(chatUser(person), person.name)
  }

  state(): ChatState {
    const { people, agent } = this.#options
    return {
      agent: agent.name,
      channel: channelName,
      people: people.map((person) => ({
        id: person.id,
        name: person.name,
        channel: this.#in('channel', person),
        direct: this.#in('direct', person),
      })),
    }
  }

  /** How many messages are unread. */
  unread(): number {
    const all = this.state().people.flatMap(({ channel, direct }) => [...channel, ...direct])
    return all.filter(({ isNew }) => isNew).length
  }

  markRead(personId: string, place: ChatPlace): void {
    const person = this.#person(personId)
    const seen = this.#in(place, person).filter(({ isNew }) => isNew)
    this.#options.read.add(seen.map(({ id }) => readMark(person, id)))
  }

  /** A person says something; in a thread when it is named. */
  async write(personId: string, place: ChatPlace, text: string, thread?: string): Promise<void> {
    const { slack, agent } = this.#options
    const person = this.#person(personId)
    if (thread !== undefined && !this.#in(place, person).some(({ id }) => id === thread)) throw missing()
    const mention = new RegExp(`@${agent.name}\\b`, 'gi')
    const said = text.replaceAll(mention, `<@${slack.botUserId}>`)
    await taken(() => slack.say(chatUser(person), said, { channel: idOf(place, person), thread }))
  }

  /** A person presses a button of a message that they see; resolves to the form that it opens, if any. */
  async press(personId: string, messageId: string, label: string): Promise<ChatForm | undefined> {
    const { slack } = this.#options
    const person = this.#person(personId)
    const user = chatUser(person)
    const message = slack.messages.find((each) => {
      const isHere = each.channel === channelId || each.channel === idOf('direct', person)
      return each.ts === messageId && isHere && isSeenBy(each, user)
    })
    if (message === undefined) throw missing()
    if (!slackButtons(message).some((button) => button.label === label)) {
      throw new BeachError('NOT_FOUND', `The message has no button '${label}'.`)
    }
    const before = slack.views.length
    await taken(async () => check(await slack.press(user, message, label)))
    const view = slack.views[before]?.view
    if (view === undefined) return undefined
    const id = `V${before + 1}`
    this.#forms.set(id, { person: personId, view })
    return formOf(id, view)
  }

  /** A person sends the form that they have opened. */
  async submit(personId: string, formId: string, values: Readonly<Record<string, string>>): Promise<void> {
    const { slack } = this.#options
    const user = chatUser(this.#person(personId))
    const form = this.#forms.get(formId)
    if (form?.person !== personId) throw new BeachError('NOT_FOUND', 'This form is closed. Press its button again.')
    await taken(async () => check(await slack.submit(user, form.view, values)))
    this.#forms.delete(formId)
  }

  /** A file that the agent has sent. */
  file(messageId: string): NonNullable<SlackMessage['file']> {
    const file = this.#options.slack.messages.find(({ ts }) => ts === messageId)?.file
    if (file === undefined) throw new BeachError('NOT_FOUND', 'There is no such file.')
    return file
  }

  #person(personId: string): LocalPerson {
    const person = this.#options.people.find(({ id }) => id === personId)
    if (person === undefined) throw new BeachError('NOT_FOUND', 'There is no person of that name here.')
    return person
  }

  #in(place: ChatPlace, person: LocalPerson): ChatMessage[] {
    const { slack } = this.#options
    const channel = idOf(place, person)
    return slack.messages
      .filter((message) => message.channel === channel && isSeenBy(message, chatUser(person)))
      .map((message) => this.#shown(message, person))
  }

  #shown(message: SlackMessage, person: LocalPerson): ChatMessage {
    const { slack, agent, people, read } = this.#options
    const { ts, thread, user, file, onlyFor, edits } = message
    const isAgent = user === slack.botUserId
    const isMine = user === chatUser(person)
    return {
      id: ts,
      thread: thread === ts ? undefined : thread,
      at: Number(ts) * 1_000,
      by: isAgent ? agent.name : (people.find((each) => chatUser(each) === user)?.name ?? user),
      isAgent,
      isMine,
      isNew: isAgent && !read.has(readMark(person, ts)),
      isPrivate: onlyFor !== undefined,
      isEdited: edits > 0,
      text: readable(wordsOf(message), `<@${slack.botUserId}>`, agent.name),
      buttons: slackButtons(message).map(({ label }) => label),
      file: file?.name,
    }
  }
}

function idOf(place: ChatPlace, person: LocalPerson): string {
  return place === 'channel' ? channelId : `D${chatUser(person)}`
}

function isSeenBy({ onlyFor }: SlackMessage, user: string): boolean {
  return onlyFor === undefined || onlyFor === user
}

function readMark({ id }: LocalPerson, ts: string): string {
  return `slack:${id}:${ts}`
}

/** What stands above the buttons and the file, which are shown apart. */
function wordsOf(message: SlackMessage): string {
  if (message.file !== undefined) return message.text
  return slackText({ ...message, blocks: message.blocks.filter(({ type }) => type !== 'actions') })
}

/** Links as label and address, names of people, and one kind of mark for what is strong: cards and answers have two. */
function readable(text: string, mention: string, agent: string): string {
  return text
    .replaceAll(mention, `@${agent}`)
    .replaceAll(/<(https?:[^|>\s]+)\|([^>]+)>/g, '$2: $1')
    .replaceAll(/\[([^\]\n]+)\]\((https?:[^)\s]+)\)/g, '$1: $2')
    .replaceAll('**', '*')
}

function missing(): BeachError {
  return new BeachError('NOT_FOUND', 'There is no such message.')
}

function check({ ok, status }: Response): void {
  if (!ok) throw new Error(`the webhook answered ${status}`)
}
