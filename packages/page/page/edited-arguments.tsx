import type { EditableArgument } from '@cool-ai/beach-client'
import { argumentField, changeArgument, type ArgumentField, type ChangedArguments } from '@cool-ai/beach-client/view'
import { useState } from 'preact/hooks'

interface EditedArgumentsProps {
  readonly editable: readonly EditableArgument[]
  readonly changed: ChangedArguments
  readonly onChange: (changed: ChangedArguments) => void
}

/** Fields for the arguments that may be changed before approving. */
export function EditedArguments({ editable, changed, onChange }: EditedArgumentsProps) {
  const [isOpen, setOpen] = useState(Object.keys(changed).length > 0)
  if (!isOpen) {
    return (
      <button class="change" type="button" onClick={() => setOpen(true)}>
        Change before approving
      </button>
    )
  }
  return (
    <fieldset class="changes">
      <legend>Change before approving</legend>
      {editable.map((argument) => {
        const field = argumentField(argument, changed)
        return (
          <label key={argument.name} class={field.kind === 'checkbox' ? 'check' : undefined}>
            {argument.label}
            <Field field={field} onChange={(value) => onChange(changeArgument(changed, argument, value))} />
          </label>
        )
      })}
    </fieldset>
  )
}

interface FieldProps {
  readonly field: ArgumentField
  readonly onChange: (value: unknown) => void
}

function Field({ field, onChange }: FieldProps) {
  switch (field.kind) {
    case 'choice': {
      const { value, choices } = field
      return (
        <select value={value} onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex])}>
          {choices.map((choice) => (
            <option key={String(choice)}>{String(choice)}</option>
          ))}
        </select>
      )
    }
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={field.value}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case 'number':
      return (
        <input
          type="number"
          step={field.step}
          value={field.value}
          onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        />
      )
    case 'text':
      return <input value={field.value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
  }
}
