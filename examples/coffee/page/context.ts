import { createContext, useContext } from 'react'

/** How a component says something to the shop, and what it was told last. */
export interface Talk {
  readonly say: (text: string) => void
  /** The shop's last words. */
  readonly lastWords: string | undefined
}

export const TalkContext = createContext<Talk>({ say: () => {}, lastWords: undefined })

export function useTalk(): Talk {
  return useContext(TalkContext)
}
