import { errorResponse } from '@cool-ai/beach-channel/http'
import { plainPage } from '@cool-ai/beach-channel/pages'
import { buttonsOf, isOutdated, pressPart, sentChoices } from '@cool-ai/beach-channel/people'
import { BeachError, isBeachError, type Originator } from '@cool-ai/beach-core'
import type { Choice, ChoiceAction } from '@cool-ai/beach-core/registries'
import { ifFound, isOver } from '@cool-ai/beach-core/runtime'
import { momentText } from '@cool-ai/beach-protocol'
import { isTokenOf, mailOfToken, type MailButton } from './button-token.ts'
import type { EmailContext } from './email-context.ts'
import { originatorOf } from './email-originator.ts'
import { escapeHtml } from './markdown-html.ts'
import type { MailPress } from './mail-records.ts'
import { formField, formFields, type FormContext } from './page-form.ts'

/** The address of the page for a button of a mail. */
export const pressPagePath = '/actions/by-mail/:token/:number'

const validMs = 7 * 24 * 60 * 60 * 1_000
/** A press whose outcome is unknown is tried again for so long: the session tells for a day whether it has it. */
const retryMs = 60 * 60 * 1_000

interface FoundButton extends MailButton {
  /** What the button is of, in words. */
  readonly about: string | undefined
}

/**
 * The page that a button of a mail links to. Opening it does nothing, since programs that check mail open it too. Its one
 * button presses that of the mail, once.
 */
export class PressPage {
  readonly #context: EmailContext

  constructor(context: EmailContext) {
    this.#context = context
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#answer(request)
    } catch (error) {
      return errorResponse(error, this.#context.runtime)
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { forms, records, runtime } = this.#context
    const [number = '', token = ''] = new URL(request.url).pathname.split('/').toReversed()
    const found = await this.#button(token, number)
    if (found === 'unknown')
      return this.#page(
        404,
        'There is nothing to press here',
        'This link is not whole, or not valid any more. Open it from the mail again, or reply to the mail.',
      )
    if (found === 'over') return this.#over()
    const before = await records.press(found.mail, found.number)
    if (before !== undefined && this.#isDone(before)) return this.#done(found, before)
    const place = { forms, token: `${token}/${number}`, clock: runtime.clock }
    if (request.method === 'GET' || request.method === 'HEAD') return this.#ask(found, place)
    if (request.method !== 'POST') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET or POST here.', { details: { allow: 'GET, POST' } })
    }
    await formFields(request, place, () => false)
    return this.#press(found)
  }

  /** The button of a link; `over` for one that cannot be pressed any more. */
  async #button(token: string, given: string): Promise<FoundButton | 'unknown' | 'over'> {
    const { options, records, tokens, partTypes, runtime } = this.#context
    const mail = mailOfToken(token)
    const sent = mail === undefined ? undefined : await records.sentMail(mail)
    const number = /^[1-9]\d{0,3}$/.test(given) ? Number(given) : 0
    // Without a public address no mail links to the page.
    if (mail === undefined || sent?.list === undefined || options.publicUrl === undefined) return 'unknown'
    const { session, principal, list, at = 0 } = sent
    const to = originatorOf(sent.address, principal, {})
    const choices = await sentChoices(list, { sessions: options.sessions, session, to, partTypes })
    if (choices.length === 0) return 'over'
    const action = buttonsOf(choices)[number - 1]
    if (action === undefined || !isTokenOf(tokens, token, { mail, number, sent, action })) return 'unknown'
    if (isOver({ since: at, until: at + validMs }, runtime.clock.now())) return 'over'
    return { mail, number, sent, action, about: aboutOf(choices, action) }
  }

  #isDone({ at, isDone }: MailPress): boolean {
    return isDone || isOver({ since: at, until: at + retryMs }, this.#context.runtime.clock.now())
  }

  async #ask({ action, about }: FoundButton, place: FormContext): Promise<Response> {
    const body = [
      about === undefined ? '' : `<p>${escapeHtml(about)}</p>`,
      '<p class="minor">Nothing is done before you confirm. It can be done once.</p>',
      `<form method="post">${await formField(place)}`,
      '<div class="choices"><button class="primary">Confirm</button></div></form>',
    ]
    const { name: from } = this.#context.options
    return plainPage({ from, title: `${action.label}?`, body: body.join(''), isAsking: true })
  }

  async #press(button: FoundButton): Promise<Response> {
    const { options, records, runtime } = this.#context
    const { mail, number, sent, action } = button
    const { session, principal, address } = sent
    const at = await records.beginPress(mail, number, address, runtime.clock.now())
    // A retry has the time of the first press, by which the session knows it.
    const message = { parts: [pressPart(action, at)], from: await this.#originator(button) }
    try {
      await options.sessions.post(session, message, principal)
    } catch (error) {
      if (!isBeachError(error) || error.retryable) throw error
      await records.undoPress(mail, number)
      if (!isOutdated(error) && error.code !== 'NOT_FOUND' && error.code !== 'SESSION_FULL') throw error
      return this.#page(
        409,
        'Nothing was done',
        `“${action.label}” is not offered any more. Reply to the mail to go on.`,
      )
    }
    await records.finishPress(mail, number, address, at)
    return this.#page(200, 'Done', `“${action.label}” was passed on. The answer comes by mail.`)
  }

  /** The recipient as the conversation knows them, so that the answer goes on in the same thread. */
  async #originator({ sent: { session, principal, address } }: FoundButton): Promise<Originator> {
    const own = originatorOf(address, principal, {})
    const known = await ifFound(this.#context.options.sessions.originators(session, principal))
    return known?.find(({ id }) => id === own.id) ?? own
  }

  #done({ action }: FoundButton, { at }: MailPress): Response {
    return this.#page(
      200,
      'Done already',
      `“${action.label}” was confirmed on ${momentText(at)}. It is done once only.`,
    )
  }

  #over(): Response {
    return this.#page(410, 'This link has expired', 'Nothing was done. Reply to the mail to go on.')
  }

  #page(status: number, title: string, text: string): Response {
    const body = `<p>${escapeHtml(text)}</p>`
    return plainPage({ status, from: this.#context.options.name, title, body })
  }
}

/** The thing that a button belongs to, in words. */
function aboutOf(choices: readonly Choice[], action: ChoiceAction): string | undefined {
  const item = choices.find((choice) => choice.kind === 'item' && choice.actions.includes(action))
  return item?.kind === 'item' ? [item.title, item.details].filter(Boolean).join(': ') : undefined
}
