import type { ChatField, ChatForm } from './page/shapes.ts'

/** A form as the agent has sent it to Slack. */
export type SlackView = Readonly<Record<string, unknown>>

interface Words {
  readonly text: string
}

interface Option {
  readonly text: Words
  readonly value: string
}

interface InputBlock {
  readonly block_id: string
  readonly optional?: boolean
  readonly label: Words
  readonly element: {
    readonly type: string
    readonly multiline?: boolean
    readonly initial_value?: string
    readonly initial_date?: string
    readonly initial_option?: Option
    readonly options?: readonly Option[]
  }
}

/** The form as the page shows it. */
export function formOf(id: string, view: SlackView): ChatForm {
  const { title, submit, blocks } = view as {
    readonly title: Words
    readonly submit: Words
    readonly blocks: readonly InputBlock[]
  }
  return { id, title: title.text, submit: submit.text, fields: blocks.map(fieldOf) }
}

function fieldOf({ block_id: id, optional = false, label, element }: InputBlock): ChatField {
  const { type, multiline, initial_value: text, initial_date: date, initial_option: chosen, options } = element
  const kind =
    options !== undefined
      ? 'choice'
      : type === 'number_input'
        ? 'number'
        : type === 'datepicker'
          ? 'date'
          : multiline
            ? 'longText'
            : 'text'
  return {
    id,
    label: label.text,
    kind,
    value: text ?? date ?? chosen?.value ?? '',
    isOptional: optional,
    options: options?.map((option) => ({ label: option.text.text, value: option.value })),
  }
}
