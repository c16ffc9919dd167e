import { useState } from 'preact/hooks'
import { Dialog } from '@cool-ai/beach-page/page/dialog'
import type { ChatField, ChatForm } from './shapes.ts'

interface ChatFormProps {
  /** Undefined while none is open. */
  readonly form: ChatForm | undefined
  /** Why it could not be sent. */
  readonly problem: string | undefined
  readonly onSubmit: (form: ChatForm, values: Readonly<Record<string, string>>) => void
  readonly onClose: () => void
}

/** The form that a button has opened, over the work chat. */
export function ChatFormDialog({ form, problem, onSubmit, onClose }: ChatFormProps) {
  return (
    <Dialog class="chat-form" label={form?.title ?? 'Form'} open={form !== undefined} onClose={onClose}>
      {form !== undefined && (
        <Fields key={form.id} form={form} problem={problem} onSubmit={onSubmit} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Fields({ form, problem, onSubmit, onClose }: ChatFormProps & { readonly form: ChatForm }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(form.fields.map(({ id, value }) => [id, value])),
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(form, values)
      }}
    >
      <h2>{form.title}</h2>
      {form.fields.map((field) => (
        <label key={field.id}>
          {field.label}
          <Input
            field={field}
            value={values[field.id] ?? ''}
            onInput={(value) => setValues((before) => ({ ...before, [field.id]: value }))}
          />
        </label>
      ))}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p class="choices">
        <button class="button" type="button" onClick={onClose}>
          Cancel
        </button>
        <button class="button primary" type="submit">
          {form.submit}
        </button>
      </p>
    </form>
  )
}

interface InputProps {
  readonly field: ChatField
  readonly value: string
  readonly onInput: (value: string) => void
}

function Input({ field: { kind, isOptional, options = [] }, value, onInput }: InputProps) {
  const common = { value, required: !isOptional }
  switch (kind) {
    case 'choice':
      return (
        <select {...common} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
          {isOptional && <option value="">–</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )
    case 'longText':
      return <textarea {...common} rows={4} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
    case 'number':
      return (
        <input {...common} type="number" step="any" onInput={({ currentTarget }) => onInput(currentTarget.value)} />
      )
    case 'date':
      return <input {...common} type="date" onInput={({ currentTarget }) => onInput(currentTarget.value)} />
    case 'text':
      return <input {...common} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
  }
}
