import { type Block, type NumberedChoice, oneLine, shortened, splitText } from '@cool-ai/beach-channel/people'
import { approvalQuestion, expiryText } from '@cool-ai/beach-protocol'
import { phoneText, whatsAppMarks } from '../people/phone-markdown.ts'
import { whatsAppLimits, type WhatsAppTemplate } from './options.ts'
import { decisionPayload, pickPayload, sayPayload } from './payload.ts'

/** The content of a message, without its recipient. */
export type Content = Readonly<Record<string, unknown>>

export type AskBlock = Extract<Block, { kind: 'ask' }>
type ChoiceBlock = Extract<Block, { kind: 'choice' }>
type ListBlock = Extract<Block, { kind: 'list' }>

/** Text, in as many messages as it takes. */
export function textContents(markdown: string): Content[] {
  return splitText(phoneText(markdown, whatsAppMarks), whatsAppLimits.text).map((body) => ({
    type: 'text',
    text: { body, preview_url: false },
  }))
}

/** The pending decision, in words. */
export function questionOf({ asked }: AskBlock): string {
  return [approvalQuestion(asked), expiryText(asked).trim()].filter((line) => line !== '').join('\n')
}

/**
 * A request with two buttons; text that is too long for it comes before it, so that a decision is always on all of it.
 */
export function askContents(block: AskBlock): Content[] {
  const question = questionOf(block)
  const fits = question.length <= whatsAppLimits.body
  const before = fits ? [] : splitText(question, whatsAppLimits.text)
  const body = fits ? question : shortened(`Approval needed: ${block.asked.title}`, 900) + ' (see above)'
  const button = (decision: 'granted' | 'denied', title: string) => ({
    type: 'reply',
    reply: { id: decisionPayload(decision, block.asked.request.approvalId), title },
  })
  const interactive = {
    type: 'button',
    body: { text: body },
    footer: { text: 'Or reply to this message with yes or no.' },
    action: { buttons: [button('granted', 'Approve'), button('denied', 'Deny')] },
  }
  return [...before.map((text) => ({ type: 'text', text: { body: text } })), { type: 'interactive', interactive }]
}

/** A question with its answers: as buttons where they fit, as a list where they do not. */
export function choiceContents({ text, options }: ChoiceBlock): Content[] {
  const { buttons, buttonTitle, rows, rowTitle, rowDescription, body: longest } = whatsAppLimits
  const question = phoneText(text, whatsAppMarks)
  const asButtons = options.length <= buttons && options.every((option) => oneLine(option).length <= buttonTitle)
  // Where an answer is truncated in the list, all of them are in the question.
  const isCut = !asButtons && options.some((option) => oneLine(option).length > rowDescription)
  const whole = isCut ? `${question}\n${options.map((option) => `- ${oneLine(option)}`).join('\n')}` : question
  const fits = whole.length <= longest
  const before = fits ? [] : textContents(whole)
  const body = { text: fits ? whole : 'Please choose.' }
  const action = asButtons
    ? {
        buttons: options.map((option) => ({
          type: 'reply',
          reply: { id: sayPayload(option), title: oneLine(option) },
        })),
      }
    : {
        button: 'Choose',
        sections: [
          {
            rows: options.slice(0, rows).map((option) => {
              const title = oneLine(option)
              const row = { id: sayPayload(option), title: shortened(title, rowTitle) }
              return title.length <= rowTitle ? row : { ...row, description: shortened(title, rowDescription) }
            }),
          },
        ],
      }
  return [...before, { type: 'interactive', interactive: { type: asButtons ? 'button' : 'list', body, action } }]
}

const pickHint = 'Reply with a number, or choose here.'

/** Things to choose from, with their numbers; text that is too long for one message with a list comes before it. */
export function listContents({ text, choices }: ListBlock): Content[] {
  const { body: longest, buttons, buttonTitle, rows } = whatsAppLimits
  const words = `${phoneText(text, whatsAppMarks)}\n\n${pickHint}`
  const fits = words.length <= longest
  const body = { text: fits ? words : pickHint }
  const labels = choices.flatMap(({ choice }) => (choice.kind === 'button' ? oneLine(choice.action.label) : []))
  const asButtons =
    labels.length === choices.length &&
    labels.length <= buttons &&
    new Set(labels).size === labels.length &&
    labels.every((label) => label !== '' && label.length <= buttonTitle)
  const reply = ({ number }: NumberedChoice, index: number) => ({ id: pickPayload(number), title: labels[index] })
  const action = asButtons
    ? { buttons: choices.map((choice, index) => ({ type: 'reply', reply: reply(choice, index) })) }
    : { button: 'Choose', sections: [{ rows: choices.slice(0, rows).map(rowOf) }] }
  const interactive = { type: asButtons ? 'button' : 'list', body, action }
  return [...(fits ? [] : textContents(text)), { type: 'interactive', interactive }]
}

/** A row of a list: the title as far as it goes, and below it what else there is room for. */
function rowOf({ number, choice }: NumberedChoice) {
  const { rowTitle, rowDescription } = whatsAppLimits
  const { title, details = '' } = rowWords(choice)
  const name = `${number}. ${oneLine(title)}`
  const isCut = name.length > rowTitle
  const description = shortened(oneLine(isCut ? [title, details].filter(Boolean).join(', ') : details), rowDescription)
  const row = { id: pickPayload(number), title: shortened(name, rowTitle) }
  return description === '' ? row : { ...row, description }
}

function rowWords(choice: NumberedChoice['choice']): { readonly title: string; readonly details?: string | undefined } {
  switch (choice.kind) {
    case 'item':
      return choice
    case 'button':
      return { title: choice.action.label }
    case 'answer':
      return { title: choice.text }
  }
}

/** A template with its text, and the payloads of its quick replies. */
export function templateContent({ name, language }: WhatsAppTemplate, text: string, payloads: readonly string[] = []) {
  const body = { type: 'body', parameters: [{ type: 'text', text: oneLine(text) }] }
  const buttons = payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload }],
  }))
  return { type: 'template', template: { name, language: { code: language }, components: [body, ...buttons] } }
}
