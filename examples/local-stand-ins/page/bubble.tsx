import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '@cool-ai/beach-page/page/icon'
import { Formatted } from './formatted.tsx'
import type { PhoneApp, PhoneMessage } from './shapes.ts'
import { shortTime } from './times.ts'

interface BubbleProps {
  readonly app: PhoneApp
  readonly message: PhoneMessage
  /** The message that it answers. */
  readonly answers: PhoneMessage | undefined
  readonly onTap: (title: string) => void
  readonly onReply?: () => void
}

/** A message, with its buttons below it. */
export function Bubble({ app, message, answers, onTap, onReply }: BubbleProps) {
  const { isMine, text, footer, buttons = [], list, media, at } = message
  return (
    <li class={isMine ? 'bubble mine' : 'bubble'}>
      <div class="said">
        <span class="hidden">{isMine ? 'You: ' : 'They: '}</span>
        {answers !== undefined && <p class="quoted">{answers.text}</p>}
        {media !== undefined && <Media media={media} />}
        {text !== '' && (
          <p class="words">
            <Formatted text={text} hasMarks={app === 'whatsapp'} />
          </p>
        )}
        {footer !== undefined && <p class="minor">{footer}</p>}
        <p class="minor end">
          {onReply !== undefined && (
            <button class="plain-button" type="button" onClick={onReply}>
              Reply
            </button>
          )}
          <time>{shortTime(at)}</time>
        </p>
      </div>
      {buttons.map((title) => (
        <button key={title} class="tap" type="button" onClick={() => onTap(title)}>
          {title}
        </button>
      ))}
      {list !== undefined && <Choices list={list} onTap={onTap} />}
    </li>
  )
}

function Media({ media: { id, kind, name } }: { readonly media: NonNullable<PhoneMessage['media']> }) {
  const url = `/local/api/media/${encodeURIComponent(id)}`
  if (kind === 'image') return <img class="picture" src={url} alt={name} />
  return (
    <a class="button small" href={url} download={name}>
      <Icon name="file" />
      {name}
    </a>
  )
}

/** A list that opens by its button, as on a phone. */
function Choices({
  list: { button, rows },
  onTap,
}: {
  readonly list: NonNullable<PhoneMessage['list']>
  readonly onTap: (title: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const shown = useRef<HTMLUListElement>(null)
  useLayoutEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [isOpen])
  return (
    <>
      <button class="tap" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {button}
      </button>
      {isOpen && (
        <ul class="rows" ref={shown}>
          {rows.map(({ title, description }) => (
            <li key={title}>
              <button
                type="button"
                onClick={() => {
                  setOpen(false)
                  onTap(title)
                }}
              >
                {title}
                {description !== undefined && <span class="minor">{description}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
