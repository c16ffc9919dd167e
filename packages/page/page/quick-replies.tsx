import type { StreamPart } from '@cool-ai/beach-client'
import { useSurroundings } from './context.ts'
import { focusField } from './focus-field.ts'
import { peerOf, quickReplies } from '@cool-ai/beach-client/view'

/** Answers to the question at the end of an answer, to be chosen instead of typed. */
export function QuickReplies({ parts }: { readonly parts: readonly StreamPart[] }) {
  const { chat } = useSurroundings()
  const question = parts.findLast((part) => part.partType === 'clarify' && peerOf(part) === undefined)
  const replies = question === undefined ? [] : quickReplies(question)
  if (replies.length === 0) return null
  const reply = (text: string) => {
    chat.send(text)
    focusField()
  }
  return (
    <div class="replies" role="group" aria-label="Quick replies">
      {replies.map((text) => (
        <button key={text} class="button" type="button" onClick={() => reply(text)}>
          {text}
        </button>
      ))}
    </div>
  )
}
