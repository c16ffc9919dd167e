import type { EditableArgument } from '@cool-ai/beach-client'
import { argumentField, changeArgument, type ArgumentField, type ChangedArguments } from '@cool-ai/beach-client/view'
import { createElement as h, useState, type ChangeEvent, type ReactElement } from 'react'

interface EditedArgumentsProps {
  readonly editable: readonly EditableArgument[]
  readonly changed: ChangedArguments
  readonly onChange: (changed: ChangedArguments) => void
}

/** Fields for the arguments that may be changed before approving. */
export function EditedArguments({ editable, changed, onChange }: EditedArgumentsProps): ReactElement {
  const [isOpen, setOpen] = useState(Object.keys(changed).length > 0)
  const words = 'Change before approving'
  if (!isOpen) return h('button', { type: 'button', className: 'beach-button', onClick: () => setOpen(true) }, words)
  return h(
    'fieldset',
    { className: 'beach-changes' },
    h('legend', null, words),
    ...editable.map((argument) =>
      h(
        'label',
        { key: argument.name },
        argument.label,
        inputOf(argumentField(argument, changed), (value) => onChange(changeArgument(changed, argument, value))),
      ),
    ),
  )
}

function inputOf(field: ArgumentField, take: (value: unknown) => void): ReactElement {
  type Changed = ChangeEvent<HTMLInputElement>
  switch (field.kind) {
    case 'choice': {
      const { value, choices } = field
      const onChange = ({ currentTarget }: ChangeEvent<HTMLSelectElement>) => take(choices[currentTarget.selectedIndex])
      const options = choices.map((choice) => h('option', { key: String(choice) }, String(choice)))
      return h('select', { value, onChange }, ...options)
    }
    case 'checkbox': {
      const onChange = ({ currentTarget }: Changed) => take(currentTarget.checked)
      return h('input', { type: 'checkbox', checked: field.value, onChange })
    }
    case 'number': {
      const onChange = ({ currentTarget }: Changed) => take(currentTarget.valueAsNumber)
      return h('input', { type: 'number', step: field.step, value: field.value, onChange })
    }
    case 'text':
      return h('input', { value: field.value, onChange: ({ currentTarget }: Changed) => take(currentTarget.value) })
  }
}
