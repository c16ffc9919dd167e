/** @jsxImportSource react */
import { useState } from 'react'
import { useTalk } from './context.ts'
import { Glyph } from './glyph.tsx'
import { isTooLong, TooLong } from './too-long.tsx'

const starters = ['Order my usual', 'Show me the menu', 'Where is my order?', 'Change my card']

/** Where the customer says something. */
export function Composer({ isEmpty }: { readonly isEmpty: boolean }) {
  const { say } = useTalk()
  const [text, setText] = useState('')
  return (
    <footer className="dock">
      <ul className={isEmpty ? 'starters' : 'starters quiet'} aria-label="Things to say">
        {starters.map((starter) => (
          <li key={starter}>
            <button className="chip" type="button" onClick={() => say(starter)}>
              {starter}
            </button>
          </li>
        ))}
      </ul>
      <TooLong text={text} />
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() === '' || isTooLong(text)) return
          say(text.trim())
          setText('')
        }}
      >
        <input
          aria-label="Message"
          placeholder="Two flat whites, please"
          value={text}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
        <button
          className="icon-button primary"
          type="submit"
          aria-label="Send"
          disabled={text.trim() === '' || isTooLong(text)}
        >
          <Glyph name="send" />
        </button>
      </form>
    </footer>
  )
}
