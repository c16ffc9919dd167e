import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useSurroundings } from './context.ts'
import { focusField } from './focus-field.ts'
import { Icon } from './icon.tsx'

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
  useLayoutEffect(() => {
    if (field.current === null) return
    field.current.value = sessionStorage.getItem(draftKey) ?? ''
    focusField()
  }, [])
  /** Sent before there was a session: it goes once there is one. */
  const waits = useRef(false)
  const send = () => {
    const text = field.current?.value ?? ''
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
          maxLength={20_000}
          placeholder={`Write to ${about.name}`}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => {
            waits.current = false
            sessionStorage.setItem(draftKey, currentTarget.value)
            grow(currentTarget)
          }}
        />
        <button id="send" class="round" type="submit" aria-label="Send" title="Send">
          <Icon name="send" />
        </button>
        {running && (
          <button
            id="stop"
            class="round"
            type="button"
            onClick={() => {
              chat.stop()
              // The button is about to vanish, and would take the focus with it.
              field.current?.focus()
            }}
          >
            <Icon name="stop" />
            Stop
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

/** Makes the field as high as its text, in browsers that do not do so by themselves. */
function grow(field: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
