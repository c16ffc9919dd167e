import type { EditableArgument } from '@cool-ai/beach-client'
import { useState } from 'preact/hooks'

/** The arguments that an approver has changed, with their new values. */
export type ChangedArguments = Readonly<Record<string, unknown>>

interface EditedArgumentsProps {
  readonly editable: readonly EditableArgument[]
  readonly changed: ChangedArguments
  readonly onChange: (changed: ChangedArguments) => void
}

/** Fields for the arguments that may be changed before approving; the agent checks them by the tool's schema. */
export function EditedArguments({ editable, changed, onChange }: EditedArgumentsProps) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <button class="change" type="button" onClick={() => setOpen(true)}>
        Change before approving
      </button>
    )
  }
  const take = ({ name, given }: EditableArgument, value: unknown) => {
    const { [name]: _, ...others } = changed
    onChange(value === given ? others : { ...others, [name]: value })
  }
  return (
    <fieldset class="changes">
      <legend>Change before approving</legend>
      {editable.map((argument) => (
        <label key={argument.name}>
          {argument.label}
          <Field
            argument={argument}
            value={Object.hasOwn(changed, argument.name) ? changed[argument.name] : argument.given}
            onChange={(value) => take(argument, value)}
          />
        </label>
      ))}
    </fieldset>
  )
}

interface FieldProps {
  readonly argument: EditableArgument
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function Field({ argument: { schema }, value, onChange }: FieldProps) {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) {
    return (
      <select value={String(value)} onChange={({ currentTarget }) => onChange(choices[currentTarget.selectedIndex])}>
        {choices.map((choice) => (
          <option key={String(choice)}>{String(choice)}</option>
        ))}
      </select>
    )
  }
  if (type === 'boolean') {
    return (
      <input
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    )
  }
  if (type === 'number' || type === 'integer') {
    return (
      <input
        type="number"
        step={type === 'integer' ? 1 : 'any'}
        value={typeof value === 'number' ? value : ''}
        onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      />
    )
  }
  return (
    <input
      value={typeof value === 'string' ? value : ''}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
