import { useEffect, useState } from 'preact/hooks'
import { AnswerView } from './answer-view.tsx'
import { SurfacesContext } from './context.ts'
import { type AnswerExchange, isShownSurface } from '@cool-ai/beach-client/view'
import type { Surfaces } from './surfaces.ts'

/** An answer as the page shows it, to look at: nothing in it can be used. Its surfaces are copies of those in the conversation. */
export function ShownAnswer({ answer }: { readonly answer: AnswerExchange }) {
  const surfaces = useCopies(answer)
  return (
    <div class="shown-answer" inert>
      <SurfacesContext.Provider value={surfaces}>
        <AnswerView answer={{ ...answer, last: true }} />
      </SurfacesContext.Provider>
    </div>
  )
}

function useCopies({ parts }: AnswerExchange): Surfaces | undefined {
  const [surfaces, setSurfaces] = useState<Surfaces>()
  useEffect(() => {
    const shown = parts.filter(isShownSurface)
    if (shown.length === 0) return
    let made: Surfaces | undefined
    let isOver = false
    void import('./surfaces.ts').then(({ Surfaces: Made }) => {
      if (isOver) return
      made = new Made(async () => {})
      made.take(shown)
      setSurfaces(made)
    })
    return () => {
      isOver = true
      made?.dispose()
    }
  }, [parts])
  return surfaces
}
