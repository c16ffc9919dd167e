import { OutLink } from './out-link.tsx'
import type { Footnote } from '@cool-ai/beach-client/view'

interface FootnotesProps {
  /** What the ids of the notes begin with. */
  readonly answer: string
  readonly footnotes: readonly Footnote[]
}

/** The sources of an answer, by their numbers. */
export function Footnotes({ answer, footnotes }: FootnotesProps) {
  if (footnotes.length === 0) return null
  return (
    <ol class="footnotes" aria-label="Sources">
      {footnotes.map(({ number, title, url, quote }) => (
        <li key={number} id={noteId(answer, number)} tabIndex={-1}>
          <span class="number">{number}</span>
          <span>
            <OutLink url={url}>{title}</OutLink>
            {quote !== undefined && <> “{quote}”</>}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** The numbers of notes next to what they are about. */
export function NoteMarks({ answer, notes }: { readonly answer: string; readonly notes: readonly number[] }) {
  return (
    <>
      {notes.map((number) => (
        <sup key={number} class="note-mark">
          <a
            href={`#${noteId(answer, number)}`}
            aria-label={`Source ${number}`}
            onClick={(event) => {
              // The address is not for places in a conversation.
              event.preventDefault()
              document.getElementById(noteId(answer, number))?.focus()
            }}
          >
            {number}
          </a>
        </sup>
      ))}
    </>
  )
}

function noteId(answer: string, number: number): string {
  return `note-${answer}-${number}`
}
