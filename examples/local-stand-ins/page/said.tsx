import { Icon } from '@cool-ai/beach-page/page/icon'
import { Formatted } from './formatted.tsx'
import type { ChatMessage } from './shapes.ts'
import { shortTime } from './times.ts'

interface SaidProps {
  readonly message: ChatMessage
  readonly onPress: (label: string) => void
}

/** A message of the work chat, with its buttons below it. */
export function Said({ message, onPress }: SaidProps) {
  const { id, by, at, isAgent, isPrivate, isEdited, text, buttons, file } = message
  const notes = [isAgent && 'App', isEdited && 'edited', isPrivate && 'only you see this'].filter(Boolean)
  return (
    <article class={isPrivate ? 'chat-said private' : 'chat-said'} aria-label={`${by}, ${shortTime(at)}`}>
      <p>
        <strong>{by}</strong> <span class="minor">{[...notes, shortTime(at)].join(' · ')}</span>
      </p>
      {text !== '' && (
        <p class="words">
          <Formatted text={text} hasMarks />
        </p>
      )}
      {file !== undefined && (
        <a class="button small" href={`/local/api/chats/files/${encodeURIComponent(id)}`} download={file}>
          <Icon name="download" />
          {file}
        </a>
      )}
      {buttons.length > 0 && (
        <p class="choices">
          {buttons.map((label) => (
            <button key={label} class="button small" type="button" onClick={() => onPress(label)}>
              {label}
            </button>
          ))}
        </p>
      )}
    </article>
  )
}
