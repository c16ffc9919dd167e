import { useEffect, useState } from 'preact/hooks'
import { AnswerView } from './answer-view.tsx'
import { SurfacesContext } from './context.ts'
import { type AnswerExchange, isShownSurface, SurfacePlaces } from '@cool-ai/beach-client/view'

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

function useCopies({ parts }: AnswerExchange): SurfacePlaces | undefined {
  const [surfaces, setSurfaces] = useState<SurfacePlaces>()
  useEffect(() => {
    const shown = parts.filter(isShownSurface)
    if (shown.length === 0) return
    let made: SurfacePlaces | undefined
    let isOver = false
    void import('@cool-ai/beach-a2ui/renderer').then(({ createA2uiRenderer }) => {
      if (isOver) return
      made = new SurfacePlaces(createA2uiRenderer, async () => {})
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
