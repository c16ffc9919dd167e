/** @jsxImportSource react */
import { useState } from 'react'
import { useTalk } from './context.ts'
import { isTooLong, TooLong } from './too-long.tsx'

/** Changes a flow in words, from within it; what the shop says to that stands below. */
export function SayField({ hint }: { readonly hint: string }) {
  const { say, lastWords } = useTalk()
  const [text, setText] = useState('')
  const [hasAsked, setAsked] = useState(false)
  return (
    <form
      className="say-field"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '' || isTooLong(text)) return
        say(text.trim())
        setText('')
        setAsked(true)
      }}
    >
      <input
        aria-label="Say what to change"
        placeholder={hint}
        value={text}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <TooLong text={text} />
      <p className="hint" role="status">
        {hasAsked ? lastWords : ''}
      </p>
    </form>
  )
}
