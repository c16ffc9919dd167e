import type { StreamPart } from '@cool-ai/beach-client'
import { Markdown } from './markdown.tsx'

/** Text of an answer. What may be long and structured is Markdown; the rest is shown as it is. */
export function TextView({ part }: { readonly part: StreamPart }) {
  const { partType, text = '', open, metadata } = part
  // An error is shown with the ways out of it, once the turn is over.
  if (partType === 'error') return null
  const classes = `part ${partType}${open ? ' open' : ''}${metadata.truncated === true ? ' truncated' : ''}`
  const isProse = partType === 'response' || partType === 'clarify'
  return <div class={classes}>{isProse ? <Markdown text={text} /> : text}</div>
}
