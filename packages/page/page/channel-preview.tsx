import type { PreviewItem } from '@cool-ai/beach-core/ports'
import { Icon } from './icon.tsx'
import { JsonView } from './json-view.tsx'
import { llmContexts, type ShownPreview } from './scene/channel-previews.ts'
import { type AnswerExchange, fileSize } from '@cool-ai/beach-client/view'
import { ShownAnswer } from './shown-answer.tsx'
import { Tabs } from './tabs.tsx'

/** What one channel gets of a turn. */
export function ChannelPreviewView({ preview, path, answer }: ChannelPreviewViewProps) {
  const trace = <Trace preview={preview} path={path} />
  if (answer === undefined || !pageTransports.has(preview.transport)) return trace
  const page = (
    <div class="gets" tabIndex={0} role="region" aria-label="What the page shows">
      <ShownAnswer answer={answer} />
    </div>
  )
  return (
    <Tabs
      label={`${preview.label}: as`}
      tabs={[
        { label: 'The page', content: page },
        { label: 'The events', content: trace },
      ]}
    />
  )
}

interface ChannelPreviewViewProps {
  readonly preview: ShownPreview
  readonly path: string
  /** The turn's answer on this page. */
  readonly answer: AnswerExchange | undefined
}

/** Those whose listeners show an answer as this page does. */
const pageTransports: ReadonlySet<string> = new Set(['sse', 'websocket'])

/** What is sent by the channel, as it is sent. */
function Trace({ preview, path }: { readonly preview: ShownPreview; readonly path: string }) {
  const { transport, items, note, isConfigured } = preview
  return (
    <div class={`gets gets-${transport}`} tabIndex={0} role="region" aria-label={`What it gets: ${preview.label}`}>
      {!isConfigured && <p class="minor">This agent has no such channel: this is what it would send.</p>}
      {note !== undefined && <p class="minor">{note}</p>}
      {items.map((item, index) => (
        <Item key={index} item={item} place={`${path}/${encodeURIComponent(transport)}/${index}`} />
      ))}
    </div>
  )
}

function Item({ item, place }: { readonly item: PreviewItem; readonly place: string }) {
  switch (item.kind) {
    case 'mail':
      return <Mail mail={item} place={place} />
    case 'message':
      return <Bubble message={item} />
    case 'json':
      return <JsonItem item={item} />
  }
}

type Of<Kind extends PreviewItem['kind']> = Extract<PreviewItem, { kind: Kind }>

/** A mail in a frame of its own, in which nothing runs: its headers say so too. */
function Mail({ mail, place }: { readonly mail: Of<'mail'>; readonly place: string }) {
  const { subject, text, attachments } = mail
  return (
    <section class="mail" role="group" aria-label={`Mail: ${subject}`}>
      <p class="subject">{subject}</p>
      <iframe title={`What the mail says: ${subject}`} src={place} sandbox="" />
      {attachments.length > 0 && (
        <ul class="attached" aria-label="Attached">
          {attachments.map(({ name, sizeBytes }, index) => (
            <li key={index}>
              <Icon name="file" />
              {name} <span class="minor">{fileSize(sizeBytes)}</span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>As plain text</summary>
        <pre tabIndex={0}>{text}</pre>
      </details>
    </section>
  )
}

/** A message on a phone. Its buttons are shown, and do nothing here. */
function Bubble({ message }: { readonly message: Of<'message'> }) {
  const { text, choices = [], file, note, payload } = message
  return (
    <section class="phone-message" role="group" aria-label="Message">
      <div class="bubble">
        {file !== undefined && (
          <p class="file">
            <Icon name="file" />
            {file}
          </p>
        )}
        {text !== '' && <p class="words">{text}</p>}
        {note !== undefined && <p class="minor">{note}</p>}
      </div>
      {choices.length > 0 && (
        <ul class="choices" aria-label="Answers to tap on">
          {choices.map((choice) => (
            <li key={choice}>{choice}</li>
          ))}
        </ul>
      )}
      {payload !== undefined && (
        <details>
          <summary>As it is sent</summary>
          <JsonView value={payload} label="The message as it is sent" />
        </details>
      )}
    </section>
  )
}

/** What a program gets. The data of each event is folded until the user opens it. */
function JsonItem({ item: { title, value } }: { readonly item: Of<'json'> }) {
  const isEvent = typeof value === 'object' && value !== null && 'event' in value
  if (!isEvent) {
    return (
      <section class="program" role="group" aria-label={title}>
        {llmContexts(value).map((text) => (
          <figure class="for-models" key={text}>
            <figcaption>llm-context, for its model</figcaption>
            <p>{text}</p>
          </figure>
        ))}
        <p class="title">{title}</p>
        <JsonView value={value} label={title} />
      </section>
    )
  }
  return (
    <details class="event">
      <summary>
        {title} <span class="minor">{saidIn(value)}</span>
      </summary>
      <JsonView value={value} label={`The event ${title}`} />
    </details>
  )
}

const maxTextLength = 80

/** The words in an event, or the state that it tells of. */
function saidIn(value: object): string {
  const { data } = value as { data?: { part?: { text?: string }; turnState?: string } }
  return (data?.part?.text ?? data?.turnState ?? '').slice(0, maxTextLength)
}
