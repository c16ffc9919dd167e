import type { EditableArgument } from '@cool-ai/beach-client'
import { createElement as h, useState, type ChangeEvent, type ReactElement } from 'react'

/** The arguments that an approver has changed, with their new values. */
export type ChangedArguments = Readonly<Record<string, unknown>>

interface EditedArgumentsProps {
  readonly editable: readonly EditableArgument[]
  readonly changed: ChangedArguments
  readonly onChange: (changed: ChangedArguments) => void
}

/** Fields for the arguments that may be changed before approving; the agent checks them by the tool's schema. */
export function EditedArguments({ editable, changed, onChange }: EditedArgumentsProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const words = 'Change before approving'
  if (!isOpen) return h('button', { type: 'button', className: 'beach-button', onClick: () => setOpen(true) }, words)
  const take = ({ name, given }: EditableArgument, value: unknown) => {
    const { [name]: _, ...others } = changed
    onChange(value === given ? others : { ...others, [name]: value })
  }
  return h(
    'fieldset',
    { className: 'beach-changes' },
    h('legend', null, words),
    ...editable.map((argument) =>
      h(
        'label',
        { key: argument.name },
        argument.label,
        fieldOf(argument, Object.hasOwn(changed, argument.name) ? changed[argument.name] : argument.given, (value) =>
          take(argument, value),
        ),
      ),
    ),
  )
}

function fieldOf({ schema }: EditableArgument, value: unknown, take: (value: unknown) => void): ReactElement {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) {
    const onChange = ({ currentTarget }: ChangeEvent<HTMLSelectElement>) => take(choices[currentTarget.selectedIndex])
    const options = choices.map((choice) => h('option', { key: String(choice) }, String(choice)))
    return h('select', { value: String(value), onChange }, ...options)
  }
  const onChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    if (type === 'boolean') take(currentTarget.checked)
    else take(type === 'number' || type === 'integer' ? currentTarget.valueAsNumber : currentTarget.value)
  }
  if (type === 'boolean') return h('input', { type: 'checkbox', checked: value === true, onChange })
  if (type === 'number' || type === 'integer') {
    const shown = typeof value === 'number' && !Number.isNaN(value) ? value : ''
    return h('input', { type: 'number', step: type === 'integer' ? 1 : 'any', value: shown, onChange })
  }
  return h('input', { value: typeof value === 'string' ? value : '', onChange })
}
