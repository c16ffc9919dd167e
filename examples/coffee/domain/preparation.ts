import type { Order } from './account.ts'
import { locations } from './locations.ts'

export const statuses = ['received', 'preparing', 'ready', 'collected', 'cancelled'] as const
export type OrderStatus = (typeof statuses)[number]

/** How far an order is at some time. */
export interface Preparation {
  readonly status: OrderStatus
  /** Minutes until it is ready. */
  readonly estimatedTime: number
  /** From 0 to 100. */
  readonly progress: number
  /** When this changes; absent when it does not any more. */
  readonly nextAt?: number
}

/**
 * How far an order is follows from the time alone, so that nothing is to be done for it to go on. `minuteMs` is how
 * long a minute takes in this shop.
 */
export function preparationOf(order: Order, now: number, minuteMs: number): Preparation {
  if (order.cancelledAt !== undefined) return { status: 'cancelled', estimatedTime: 0, progress: 0 }
  if (order.collectedAt !== undefined) return { status: 'collected', estimatedTime: 0, progress: 100 }
  const minutes = locations.find(({ id }) => id === order.locationId)?.estimatedTime ?? 8
  const passed = Math.max(0, Math.floor((now - order.placedAt) / minuteMs))
  if (passed >= minutes) return { status: 'ready', estimatedTime: 0, progress: 100 }
  return {
    status: passed < 1 ? 'received' : 'preparing',
    estimatedTime: minutes - passed,
    progress: Math.round((passed / minutes) * 100),
    nextAt: order.placedAt + (passed + 1) * minuteMs,
  }
}

/** Whether the shop still takes an order back. */
export function canBeCancelled({ status }: Preparation): boolean {
  return status === 'received' || status === 'preparing'
}
