import type { Choice, ChoiceAction, PartForm } from '@cool-ai/beach-core/registries'
import { isEmpty, nothing, type Block, type Button } from './block.ts'
import { markdownToText } from './markdown.ts'

/** Blocks with their choices numbered, and the choices in the order of their numbers. */
export interface Numbered {
  readonly block: Block
  readonly choices: readonly Choice[]
}

/**
 * Numbers what can be chosen: first the things in lists, then the buttons that belong to none. Things in a list are the
 * items of a List, and neighbours that offer the same actions, such as cards with the same buttons.
 */
export function numbered(block: Block, first = 1): Numbered {
  const choices: Choice[] = []
  const add = (choice: Choice): number => first + choices.push(choice) - 1
  const withItems = itemsIn(block, (item) => add(itemOf(item)))
  return { block: buttonsIn(withItems, (action) => add({ kind: 'button', action })), choices }
}

/** The blocks with their choices numbered, where a form asks for it. */
export function inForm(block: Block, form: PartForm | undefined): Block {
  return form === undefined ? block : numbered(block, form.firstNumber).block
}

/** The item as a choice: its first words are its title. */
export function itemOf(block: Block): Choice {
  const [title = '', ...rest] = textsOf(block)
  return { kind: 'item', title, details: rest.join(', ') || undefined, actions: actionsOf(block) }
}

/** The texts that a block shows, each on one line, without its buttons. */
export function textsOf(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return [oneLine(block.isLiteral === true ? block.text : markdownToText(block.text))].filter(Boolean)
    case 'stack':
    case 'row':
      return block.blocks.flatMap(textsOf)
    case 'list':
      return block.items.flatMap(textsOf)
    case 'card':
    case 'item':
      return textsOf(block.block)
    case 'section':
      return [block.title, ...textsOf(block.block)].filter(Boolean)
    case 'field':
      return [block.label === '' ? block.value : `${block.label}: ${block.value}`].filter(Boolean)
    case 'choice':
      return block.options.filter(({ isChosen }) => isChosen).map(({ label }) => label)
    case 'link':
      return [block.label].filter(Boolean)
    case 'table':
      return block.rows.map((row) => row.join(', '))
    case 'button':
    case 'image':
    case 'icon':
    case 'divider':
      return []
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function itemsIn(block: Block, numberOf: (item: Block) => number): Block {
  switch (block.kind) {
    case 'stack':
    case 'row':
      return { ...block, blocks: membersIn(block.blocks, false, numberOf) }
    case 'list':
      return { ...block, items: membersIn(block.items, true, numberOf) }
    case 'card':
    case 'section':
      return { ...block, block: itemsIn(block.block, numberOf) }
    default:
      return block
  }
}

function membersIn(members: readonly Block[], isList: boolean, numberOf: (item: Block) => number): Block[] {
  const offers = members.map(offerOf)
  const isItem = (member: Block, index: number) => {
    if (member.kind === 'button' || textsOf(member).length === 0) return false
    const offer = offers[index] ?? ''
    if (isList) return members.filter((other) => !isEmpty(other)).length > 1
    return offer !== '' && offers.filter((other) => other === offer).length > 1
  }
  return members.map((member, index) =>
    isItem(member, index) ? { kind: 'item', number: numberOf(member), block: member } : itemsIn(member, numberOf),
  )
}

/** What can be done with a block, by the names of its actions. */
function offerOf(block: Block): string {
  return block.kind === 'button' ? '' : JSON.stringify(actionsOf(block).map(({ name }) => name)).replace('[]', '')
}

/** A block without its buttons, and the buttons. */
export function apart(block: Block): { readonly rest: Block; readonly buttons: readonly Button[] } {
  const buttons: Button[] = []
  const without = (one: Block): Block => {
    switch (one.kind) {
      case 'button':
        buttons.push(one)
        return nothing
      case 'stack':
      case 'row':
        return { ...one, blocks: one.blocks.map(without) }
      case 'list':
        return { ...one, items: one.items.map(without) }
      case 'card':
      case 'section':
      case 'item':
        return { ...one, block: without(one.block) }
      default:
        return one
    }
  }
  return { rest: without(block), buttons }
}

function actionsOf(block: Block): ChoiceAction[] {
  switch (block.kind) {
    case 'button':
      return block.action === undefined ? [] : [block.action]
    case 'stack':
    case 'row':
      return block.blocks.flatMap(actionsOf)
    case 'list':
      return block.items.flatMap(actionsOf)
    case 'card':
    case 'section':
    case 'item':
      return actionsOf(block.block)
    default:
      return []
  }
}

function buttonsIn(block: Block, numberOf: (action: ChoiceAction) => number): Block {
  const inside = (member: Block) => buttonsIn(member, numberOf)
  switch (block.kind) {
    case 'button':
      return block.action === undefined ? block : ({ ...block, number: numberOf(block.action) } satisfies Button)
    case 'stack':
    case 'row':
      return { ...block, blocks: block.blocks.map(inside) }
    case 'list':
      return { ...block, items: block.items.map(inside) }
    case 'card':
    case 'section':
      return { ...block, block: inside(block.block) }
    default:
      return block
  }
}
