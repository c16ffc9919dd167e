import type { StreamPart } from '@cool-ai/beach-client'
import type { ComponentChildren } from 'preact'
import type { IconName } from './icon.tsx'

/** Shows data of one kind; undefined for data that is not what its kind says, which is shown as a table. */
export type DataForm = (data: unknown, marks: ComponentChildren) => ComponentChildren | undefined

/** A panel next to the conversation, of something that the parts of a conversation tell of. */
export interface Panel<Value = unknown> {
  readonly name: string
  readonly icon: IconName
  /** Follows the value through the parts; the same object until it changes, and undefined while there is no panel. */
  fold(): (parts: readonly StreamPart[]) => Value | undefined
  /** What the button says that opens the panel on small screens. */
  short(value: Value): string
  /** `onClose` is for a panel that lies over the page. */
  view(value: Value, onClose?: () => void): ComponentChildren
}

/** What a page that is built on this one adds. */
export interface PageExtension {
  /** Forms of data, by kind. */
  readonly forms?: Readonly<Record<string, DataForm>>
  /** True for a part that is not shown in the conversation. */
  readonly isHidden?: (part: StreamPart) => boolean
  readonly panel?: Panel
}
