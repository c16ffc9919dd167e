import { fields, finite, listOfFields, peerOf, text, type Fields } from '@cool-ai/beach-page/page/scene'
import type { StreamPart } from '@cool-ai/beach-client'

export interface BasketItem {
  readonly itemId: string
  readonly type: string
  readonly title: string
  readonly details: string
  readonly start: string
  readonly end: string
  readonly totalPence: number
}

/** What was chosen, and what it comes to. */
export interface Basket {
  readonly items: readonly BasketItem[]
  readonly total: string
}

/** What was booked. */
export interface Booking extends Basket {
  readonly reference: string
}

/** The basket in data of kind `package`; undefined when it is something else. */
export function basketIn(data: unknown): Basket | undefined {
  const { items, total } = fields(data)
  const rows = listOfFields(items)?.map(itemOf)
  const sum = text(total)
  if (rows === undefined || sum === undefined || rows.includes(undefined)) return undefined
  return { items: rows.filter((item) => item !== undefined), total: sum }
}

/** The booking in data of kind `booking`; undefined when it is something else. */
export function bookingIn(data: unknown): Booking | undefined {
  const basket = basketIn(data)
  const reference = text(fields(data).reference)
  return basket === undefined || reference === undefined ? undefined : { ...basket, reference }
}

function itemOf(row: Fields): BasketItem | undefined {
  const itemId = text(row.itemId)
  const title = text(row.title)
  const totalPence = finite(row.totalPence)
  if (itemId === undefined || title === undefined || totalPence === undefined) return undefined
  return {
    itemId,
    title,
    totalPence,
    type: text(row.type) ?? 'item',
    details: text(row.details) ?? '',
    start: text(row.start) ?? '',
    end: text(row.end) ?? '',
  }
}

/**
 * Follows the basket through the parts of a conversation; it is the same object until another package is told of. One
 * that another agent keeps is not this agent's to fill and to book.
 */
export function basketFold(): (parts: readonly StreamPart[]) => Basket | undefined {
  let last: StreamPart | undefined
  let basket: Basket | undefined
  return (parts) => {
    const found = parts.findLast((part) => isData(part, 'package', 'booking') && peerOf(part) === undefined)
    if (found !== last) basket = found?.metadata.kind === 'package' ? notEmpty(basketIn(found.data)) : undefined
    last = found
    return basket
  }
}

/** True for a package with nothing in it: that it is empty, the agent says itself. */
export function isEmptyPackage(part: StreamPart): boolean {
  return isData(part, 'package') && basketIn(part.data)?.items.length === 0
}

function isData({ partType, metadata: { kind = '' } }: StreamPart, ...kinds: readonly string[]): boolean {
  return partType === 'domain-data' && kinds.includes(kind)
}

function notEmpty(basket: Basket | undefined): Basket | undefined {
  return basket === undefined || basket.items.length === 0 ? undefined : basket
}
