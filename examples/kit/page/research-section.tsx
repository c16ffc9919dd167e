import { Markdown } from '@cool-ai/beach-page/page'
import type { ComponentChildren } from 'preact'
import type { Section } from './scene/research.ts'

interface ResearchSectionProps {
  readonly section: Section
  /** The numbers of its sources. */
  readonly marks: ComponentChildren
}

/** A piece of research, with its sources. */
export function ResearchSection({ section: { title, text }, marks }: ResearchSectionProps) {
  return (
    <section class="section">
      <h3>
        {title} {marks}
      </h3>
      <Markdown text={text} />
    </section>
  )
}
