import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useSurroundings } from './context.ts'
import { focusField } from './focus-field.ts'
import { Icon } from './icon.tsx'
import { maxMessageLength, MessageLimit } from './message-limit.tsx'

interface ComposerProps {
  readonly running: boolean
  readonly disabled: boolean
  readonly onShortcuts: () => void
}

const draftKey = 'beach.draft'

/** Where the user writes. What is not sent yet survives a reload. */
export function Composer({ running, disabled, onShortcuts }: ComposerProps) {
  const { chat, about } = useSurroundings()
  const field = useRef<HTMLTextAreaElement>(null)
  const [length, setLength] = useState(0)
  useLayoutEffect(() => {
    if (field.current === null) return
    field.current.value = sessionStorage.getItem(draftKey) ?? ''
    setLength(field.current.value.trim().length)
    focusField()
  }, [])
  /** Sent before there was a session: it goes once there is one. */
  const waits = useRef(false)
  const send = () => {
    const text = field.current?.value ?? ''
    if (text.trim().length > maxMessageLength) return
    waits.current = disabled && text.trim() !== ''
    if (field.current === null || disabled || text.trim() === '') return
    field.current.value = ''
    sessionStorage.removeItem(draftKey)
    grow(field.current)
    chat.send(text)
  }
  useEffect(() => {
    if (waits.current) send()
  }, [disabled])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  }
  return (
    <>
      <MessageLimit length={length} />
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault()
          send()
          field.current?.focus()
        }}
      >
        <label class="hidden" for="text">
          Your message
        </label>
        <textarea
          id="text"
          ref={field}
          rows={1}
          placeholder={`Write to ${about.name}`}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => {
            waits.current = false
            setLength(currentTarget.value.trim().length)
            keepDraft(currentTarget.value)
            grow(currentTarget)
          }}
        />
        <button
          id="send"
          class="round"
          type="submit"
          aria-label="Send"
          title="Send"
          disabled={length > maxMessageLength}
        >
          <Icon name="send" />
        </button>
        {running && (
          <button
            id="stop"
            class="round"
            type="button"
            aria-label="Stop"
            onClick={() => {
              chat.stop()
              // The button is about to vanish, and would take the focus with it.
              field.current?.focus()
            }}
          >
            <Icon name="stop" />
            <span class="words">Stop</span>
          </button>
        )}
      </form>
      <p class="hint">
        <span>
          <kbd>Enter</kbd> sends
        </span>
        <span>
          <kbd>Shift</kbd> <kbd>Enter</kbd> new line
        </span>
        <span>
          <kbd>Esc</kbd> stops
        </span>
        <button type="button" onClick={onShortcuts}>
          All keys
        </button>
      </p>
    </>
  )
}

/** What is longer than the browser keeps is in the field all the same. */
function keepDraft(text: string): void {
  try {
    sessionStorage.setItem(draftKey, text)
  } catch {
    sessionStorage.removeItem(draftKey)
  }
}

/** Makes the field as high as its text, in browsers that do not do so by themselves. */
function grow(field: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
