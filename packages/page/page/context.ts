import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { PageAbout } from '../src/page-about.ts'
import { isUndecided, type OwnApproval, type SurfacePlaces } from '@cool-ai/beach-client/view'
import type { Chat } from './chat.ts'
import type { PageExtension } from './extension.ts'
import { noWaiting } from './use-waiting.ts'

/** What components may need wherever they stand. */
export interface PageContext {
  readonly chat: Chat
  readonly about: PageAbout
  readonly extension: PageExtension
  /** The code of the one-time link that led here. */
  readonly joinCode: string | undefined
}

export const SurroundingsContext = createContext<PageContext | undefined>(undefined)
/** The value of the panel at the side, if there is one. */
export const PanelContext = createContext<unknown>(undefined)
export const SurfacesContext = createContext<SurfacePlaces | undefined>(undefined)
/** Shows what each channel gets of a turn. */
export const PreviewsContext = createContext<(turnId: string) => void>(() => {})
/** Whether data is this agent's own, and not what another one has found. */
export const OwnDataContext = createContext(true)
export const ApprovalsContext = createContext<readonly OwnApproval[]>([])
export const WaitingContext = createContext(noWaiting)

export function useSurroundings(): PageContext {
  const surroundings = useContext(SurroundingsContext)
  if (surroundings === undefined) throw new Error('This component stands outside of the page.')
  return surroundings
}

export function usePanel(): unknown {
  return useContext(PanelContext)
}

export function useOwnData(): boolean {
  return useContext(OwnDataContext)
}

export function useSurfaces(): SurfacePlaces | undefined {
  return useContext(SurfacesContext)
}

export function useShowPreviews(): (turnId: string) => void {
  return useContext(PreviewsContext)
}

/** How many decisions are waited for, or on their way: until then nothing that asks for another is offered. */
export function useOpenApprovals(): number {
  return useContext(ApprovalsContext).filter(isUndecided).length
}

export function useApproval(approvalId: string): OwnApproval | undefined {
  return useContext(ApprovalsContext).find((approval) => approval.approvalId === approvalId)
}
