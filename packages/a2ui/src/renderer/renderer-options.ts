import type { A2uiVersion } from '../messages.ts'
import type { RendererCatalog } from './custom-catalog.ts'
import type { SurfacePart } from './read-part.ts'
import type { SurfaceState } from './surface-services.ts'

/** What a button sends: A2UI’s message from client to server, and the surface’s data when it wants that back. */
export interface SurfaceAction {
  readonly version: A2uiVersion
  readonly action: {
    readonly name: string
    readonly surfaceId: string
    readonly sourceComponentId: string
    readonly timestamp: string
    readonly context: Readonly<Record<string, unknown>>
  }
  /** A2UI’s `a2uiClientDataModel`. */
  readonly dataModel?: { readonly version: A2uiVersion; readonly surfaces: Readonly<Record<string, unknown>> }
}

/** Why a surface, or an action on it, did not work. */
export interface SurfaceError {
  readonly surfaceId?: string | undefined
  /** What is wrong, a sentence for each. */
  readonly problems: readonly string[]
  /** The message that A2UI has for it, for the sender of the surface. */
  readonly reply: {
    readonly version: A2uiVersion
    readonly error: {
      readonly code: 'VALIDATION_FAILED'
      readonly surfaceId: string
      readonly path: string
      readonly message: string
    }
  }
}

/** Where surfaces are shown, and who is told of actions and errors. */
export interface A2uiRendererOptions {
  /** Where surfaces are put, one below the other. */
  readonly container?: HTMLElement | undefined
  /** Where each new surface is put, if they belong to different places. */
  readonly mount?: (surfaceId: string, slotKey: string | undefined) => HTMLElement
  /**
   * Gets what buttons send. The surface stays busy until the promise has settled; without one, until `setState` or the
   * next message for the surface. A promise that fails opens the surface again, with the error’s message.
   */
  readonly onAction: (action: SurfaceAction) => void | Promise<void>
  readonly onError?: ((error: SurfaceError) => void) | undefined
  /** Decides for these surfaces; otherwise `data-theme` around them, and the page’s own colour scheme. */
  readonly theme?: 'light' | 'dark' | 'contrast' | undefined
  /** Origins, besides the page’s own, that pictures, films and sounds may be loaded from. */
  readonly sources?: readonly string[] | undefined
  /** The level of the topmost heading of a surface, by where surfaces stand on the page; 2 when left out. */
  readonly headingLevel?: 1 | 2 | 3 | 4 | 5 | 6 | undefined
  /** Opens a link that a button leads to; in a new tab if absent. */
  readonly openUrl?: ((url: string) => void) | undefined
  /** Catalogs besides the Basic Catalog; surfaces of others are shown in words. */
  readonly catalogs?: readonly RendererCatalog[] | undefined
}

/** Shows the surfaces that it is handed. */
export interface A2uiRenderer {
  /** Takes an `a2ui-surface` part in any of its forms. Never throws: what cannot be shown goes to `onError`. */
  readonly handle: (part: SurfacePart) => void
  /** Says whether a surface can be used, and next to it, why not. */
  readonly setState: (surfaceId: string, state: SurfaceState, message?: string) => void
  readonly remove: (surfaceId: string) => void
  readonly dispose: () => void
}
