import type { ChoiceAction } from '@cool-ai/beach-core/registries'
import { markdownToText } from './markdown.ts'

/** A piece of something readable: what surfaces and data come to before they become text or HTML. */
export type Block =
  /** Text with simple Markdown, unless it is literal. */
  | { readonly kind: 'text'; readonly text: string; readonly style: TextStyle; readonly isLiteral?: boolean }
  /** One below the other. */
  | { readonly kind: 'stack'; readonly blocks: readonly Block[] }
  /** One next to the other; spread over the whole width, the last one at its end. */
  | { readonly kind: 'row'; readonly blocks: readonly Block[]; readonly isSpread?: boolean | undefined }
  | { readonly kind: 'list'; readonly items: readonly Block[] }
  | { readonly kind: 'card'; readonly block: Block }
  | { readonly kind: 'section'; readonly title: string; readonly block: Block }
  | Button
  /** A thing in a list that can be chosen by its number. */
  | { readonly kind: 'item'; readonly number: number; readonly block: Block }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'image'; readonly label: string; readonly url: string }
  | { readonly kind: 'icon'; readonly label: string }
  | { readonly kind: 'field'; readonly label: string; readonly value: string }
  | {
      readonly kind: 'choice'
      readonly label: string
      readonly options: readonly Option[]
      readonly isMultiple: boolean
    }
  | { readonly kind: 'divider' }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

export interface Button {
  readonly kind: 'button'
  readonly label: string
  readonly url?: string | undefined
  readonly isPrimary?: boolean | undefined
  /** What pressing it does; undefined for one that only opens an address. */
  readonly action?: ChoiceAction | undefined
  /** The number by which it is pressed in a reply. */
  readonly number?: number | undefined
}

export type TextStyle = 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'body' | 'caption'

interface Option {
  readonly label: string
  readonly isChosen: boolean
}

export const nothing: Block = { kind: 'stack', blocks: [] }

export function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === ''
    case 'stack':
    case 'row':
      return block.blocks.every(isEmpty)
    case 'list':
      return block.items.every(isEmpty)
    case 'card':
    case 'item':
      return isEmpty(block.block)
    case 'section':
      return block.title === '' && isEmpty(block.block)
    case 'table':
      return block.rows.length === 0
    default:
      return false
  }
}

/** Blocks one below the other, without those that show nothing. */
export function stack(blocks: readonly Block[]): Block {
  const shown = blocks.filter((block) => !isEmpty(block))
  const [only] = shown
  return shown.length === 1 && only !== undefined ? only : { kind: 'stack', blocks: shown }
}

export function wordsOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return markdownToText(block.text)
    case 'stack':
    case 'row':
      return block.blocks.map(wordsOf).filter(Boolean).join(' ')
    case 'list':
      return block.items.map(wordsOf).filter(Boolean).join(' ')
    case 'card':
    case 'item':
      return wordsOf(block.block)
    case 'section':
      return [block.title, wordsOf(block.block)].filter(Boolean).join(' ')
    case 'field':
    case 'choice':
    case 'button':
    case 'link':
    case 'image':
    case 'icon':
      return block.label
    case 'divider':
    case 'table':
      return ''
  }
}
