import { useLayoutEffect, useRef } from 'preact/hooks'
import { markdownBlocks, sanitised } from './markdown-blocks.ts'

/** Markdown as what it means. Only blocks that have changed are made anew. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div class="prose">
      {markdownBlocks(text).map((html, index) => (
        <Block key={index} html={html} />
      ))}
    </div>
  )
}

function Block({ html }: { readonly html: string }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => place.current?.replaceChildren(sanitised(html)), [html])
  return <div ref={place} />
}
