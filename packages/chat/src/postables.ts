import { shortened, splitText, oneLine, type Block } from '@cool-ai/beach-channel/people'
import type { Choice } from '@cool-ai/beach-core/registries'
import { approvalQuestion, expiryText } from '@cool-ai/beach-protocol'
import {
  Actions,
  Button,
  Card,
  CardText,
  type AdapterPostableMessage,
  type ButtonElement,
  type CardElement,
} from 'chat'
import { formActionOf } from './form-action.ts'
import { decisionButton, formButton, pickButton } from './payload.ts'
import { limitsOf, type PlatformLimits } from './platform-limits.ts'
import { literalText, withoutAlerts } from './safe-text.ts'

export type AskBlock = Extract<Block, { kind: 'ask' }>

/** Text, in as many messages as it takes. */
export function textPostables(adapterName: string, markdown: string): AdapterPostableMessage[] {
  return splitText(withoutAlerts(markdown), limitsOf(adapterName).text).map((text) => ({ markdown: text }))
}

/**
 * A request with two buttons. A question that is too long for the card comes before it, so that a decision is always on
 * all of it.
 */
export function askPostables(adapterName: string, { asked }: AskBlock): AdapterPostableMessage[] {
  const limits = limitsOf(adapterName)
  const question = [approvalQuestion(asked, ''), expiryText(asked).trim()].filter((line) => line !== '').join('\n')
  const literal = literalText(adapterName, question)
  const fits = literal.length <= limits.cardText
  const before = fits ? [] : splitText(literal, limits.cardText).map((text) => Card({ children: [CardText(text)] }))
  const shown = fits ? literal : literalText(adapterName, `${shortened(asked.title, 200)} (see above)`)
  const { approvalId } = asked.request
  const card = Card({
    title: 'Approval needed',
    children: [
      CardText(shown),
      Actions([
        Button({ ...decisionButton('granted', approvalId), label: 'Approve', style: 'primary' }),
        Button({ ...decisionButton('denied', approvalId), label: 'Deny', style: 'danger' }),
      ]),
    ],
  })
  return [...before, card]
}

/** A request that was decided: the same card without buttons. */
export function decidedCard(adapterName: string, title: string, outcome: string): CardElement {
  const text = (line: string) => CardText(literalText(adapterName, line))
  const children = [text(shortened(title, 500)), text(outcome)]
  // An edit at Discord leaves buttons that it does not name: one that cannot be pressed takes their place.
  const last = adapterName === 'discord' ? [Actions([Button({ id: 'decided', label: 'Decided', disabled: true })])] : []
  return Card({ title: 'Approval', children: [...children, ...last] })
}

/** A question with its answers as buttons. */
export function choicePostables(
  adapterName: string,
  { text, options, firstNumber }: Extract<Block, { kind: 'choice' }>,
): AdapterPostableMessage[] {
  const limits = limitsOf(adapterName)
  // Where an answer is cut on its button, all of them are in the question.
  const isCut = options.some((option) => oneLine(option).length > limits.label)
  const question = isCut ? `${text}\n${options.map((option) => `- ${oneLine(option)}`).join('\n')}` : text
  const buttons = options.map((option, index) => ({ label: option, number: firstNumber + index }))
  return withButtons(adapterName, question, buttons, limits)
}

/** Things to choose from, with a button for each. */
export function listPostables(
  adapterName: string,
  { text, choices }: Extract<Block, { kind: 'list' }>,
): AdapterPostableMessage[] {
  const limits = limitsOf(adapterName)
  const buttons = choices.map(({ number, choice }) => {
    const opensForm = limits.formTitle !== undefined && formActionOf(choice) !== undefined
    const label = labelOf(choice, number)
    return { label: opensForm ? `${label} …` : label, number, opensForm }
  })
  return withButtons(adapterName, text, buttons, limits)
}

function labelOf(choice: Choice, number: number): string {
  switch (choice.kind) {
    case 'item':
      return `${number}. ${choice.title}`
    case 'button':
      return choice.action.label
    case 'answer':
      return choice.text
  }
}

interface NumberedLabel {
  readonly label: string
  readonly number: number
  readonly opensForm?: boolean
}

/** A card with buttons in rows; a text that is too long for it comes before. What has no button can be said by its number. */
function withButtons(
  adapterName: string,
  text: string,
  labels: readonly NumberedLabel[],
  { cardText, label: longest, buttons: max, row }: PlatformLimits,
): AdapterPostableMessage[] {
  const quiet = withoutAlerts(text)
  const fits = quiet.length <= cardText
  const shown = labels.slice(0, max)
  const hint = labels.length > max ? ' Or reply with a number.' : ''
  const rows: ButtonElement[][] = []
  for (const [index, { label, number, opensForm = false }] of shown.entries()) {
    const name = shortened(oneLine(label), longest) || String(number)
    const button = Button({ ...(opensForm ? formButton(number) : pickButton(number)), label: name })
    if (index % row === 0) rows.push([])
    rows.at(-1)?.push(button)
  }
  const introduction = CardText((fits ? quiet : 'Please choose.') + hint)
  const card = Card({ children: [introduction, ...rows.map((buttons) => Actions(buttons))] })
  return [...(fits ? [] : textPostables(adapterName, text)), card]
}
