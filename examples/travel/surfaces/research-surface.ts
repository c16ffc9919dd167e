import { ui } from '@cool-ai/beach-a2ui'
import type { ResearchSection } from '../domain/research.ts'

/** A section of what is known about a destination. Its source is a citation beside it. */
export function researchSurface({ title, text }: ResearchSection, surfaceId: string) {
  return ui.surface({ surfaceId, root: ui.column(ui.text(title, { variant: 'h3' }), ui.text(text)) })
}
