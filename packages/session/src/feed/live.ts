import type { PartOrigin } from '@cool-ai/beach-core/ports'

/** Messages between hosts and feeds through the store's live frames; none of it is ever stored. */
export type LiveFrame =
  | {
      readonly kind: 'delta'
      readonly epoch: number
      readonly turnId: string
      readonly partId: string
      readonly partType: string
      readonly origin?: PartOrigin
      readonly offset: number
      readonly text: string
    }
  | { readonly kind: 'retract'; readonly epoch: number; readonly turnId: string; readonly partIds: readonly string[] }
  /** A feed lacks text of the open step; the host sends it again from the beginning. */
  | { readonly kind: 'ask' }

export type DeltaFrame = Extract<LiveFrame, { kind: 'delta' }>
