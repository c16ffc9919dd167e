import { listFor, sentChoices, type PersonLog } from '@cool-ai/beach-channel/people'
import type { ChannelContext, Principal } from '@cool-ai/beach-core'
import type { ChoiceAction } from '@cool-ai/beach-core/registries'
import type { CardIndex, SentCard } from './card-index.ts'
import { formOf, valuesIn, type OpenedForms } from './forms.ts'
import { formActionOf } from './form-action.ts'
import type { Filled } from './incoming-chat.ts'
import type { FilledItem, PressedItem } from './incoming-item.ts'
import type { ChatChannelOptions, ChatUser } from './options.ts'
import { readPayload } from './payload.ts'
import { originatorAt } from './places.ts'
import type { Platform } from './platform.ts'
import { limitsOf } from './platform-limits.ts'
import type { Threads } from './threads.ts'

interface FormButtonsOptions
  extends Pick<ChannelContext, 'sessions' | 'partTypes'>, Pick<ChatChannelOptions, 'accepts'> {
  readonly principalOf: (who: ChatUser) => Promise<Principal>
  readonly records: PersonLog
  readonly threads: Threads
  readonly platforms: ReadonlyMap<string, Platform>
  readonly cards: CardIndex
  readonly opened: OpenedForms
}

/** Buttons that open a form of the platform, and what people send in it. */
export class FormButtons {
  readonly #options: FormButtonsOptions

  constructor(options: FormButtonsOptions) {
    this.#options = options
  }

  /** The form that a button opens, and its name; undefined when it opens none any more. */
  async open(pressed: PressedItem) {
    const { opened, cards, accepts, platforms, principalOf } = this.#options
    const { from, messageId, action: button, value } = pressed
    const platform = platforms.get(from.adapter)
    const payload = readPayload(button, value)
    if (platform === undefined || payload === undefined || !('form' in payload)) return undefined
    if (accepts?.(from) === false) return undefined
    const at = { ...from, messageId }
    const card = await cards.find(platform, at)
    const action = card && (await this.actionOf(card, payload.form, await principalOf(from)))
    const { formTitle } = limitsOf(platform.adapter.name)
    if (action === undefined || formTitle === undefined) return undefined
    const name = await opened.add({ card: cards.nameOf(platform, at), number: payload.form }, from.user)
    return { name, form: formOf(action, formTitle) }
  }

  /** A form that was sent, as an item; undefined when the person has not opened it, or it is gone. */
  async filledIn(name: string, { values, from, id }: Filled): Promise<FilledItem | undefined> {
    const { opened, cards, platforms, accepts } = this.#options
    const form = await opened.find(name, from.user)
    const card = form && (await cards.named(form.card))
    const adapter = platforms.get(from.adapter)?.adapter
    if (form === undefined || card?.adapter !== from.adapter || card.workspace !== from.workspace) return undefined
    const sender = { ...from, thread: card.thread, isDirect: adapter?.isDM?.(card.thread) ?? false }
    if (accepts?.(sender) === false) return undefined
    const { messageId } = card
    return { kind: 'filled', id, from: sender, messageId, number: form.number, values: valuesIn(values) }
  }

  /** The button of a message that sends fields; undefined when it is none, or not the same any more. */
  async actionOf(card: SentCard, number: number, principal: Principal): Promise<ChoiceAction | undefined> {
    const { records, threads, sessions, partTypes } = this.#options
    const { session, messageId, adapter, workspace, thread } = card
    const state = await records.load(card.place)
    const list = listFor(state, { session, repliesTo: messageId })
    if (list === undefined) return undefined
    const to = originatorAt({ adapter, workspace, thread }, threads.ownerIn(state, session) ?? principal)
    return formActionOf((await sentChoices(list, { sessions, session, to, partTypes }))[number - 1])
  }
}
