import { createRegistry, type FlowRegistry } from '@intentflow/core'
import type { Shop } from '../domain/shop.ts'
import {
  updatePayment,
  updatePaymentHandlers,
  updatePaymentHydrator,
  updatePaymentIntent,
  updatePaymentTalk,
} from './account-update-payment.ts'
import { menuBrowse, menuBrowseHandlers, menuBrowseHydrator, menuBrowseIntent, menuBrowseTalk } from './menu-browse.ts'
import {
  orderCancel,
  orderCancelHandlers,
  orderCancelHydrator,
  orderCancelIntent,
  orderCancelTalk,
} from './order-cancel.ts'
import { orderPlace, orderPlaceHandlers, orderPlaceHydrator, orderPlaceIntent, orderPlaceTalk } from './order-place.ts'
import {
  orderTrack,
  orderTrackHandlers,
  orderTrackHydrator,
  orderTrackIntent,
  orderTrackTalk,
  orderTrackWatch,
} from './order-track.ts'

/** The flows of the shop. */
export function coffeeFlows(shop: Shop): FlowRegistry {
  return createRegistry({
    flows: [menuBrowse, orderPlace, orderTrack, orderCancel, updatePayment],
    intents: [menuBrowseIntent, orderPlaceIntent, orderTrackIntent, orderCancelIntent, updatePaymentIntent],
    hydrators: [
      menuBrowseHydrator,
      orderPlaceHydrator(shop),
      orderTrackHydrator(shop),
      orderCancelHydrator(shop),
      updatePaymentHydrator(shop),
    ],
    handlers: [
      menuBrowseHandlers,
      orderPlaceHandlers(shop),
      orderTrackHandlers(shop),
      orderCancelHandlers(shop),
      updatePaymentHandlers(shop),
    ],
    conversations: [menuBrowseTalk, orderPlaceTalk, orderTrackTalk, orderCancelTalk, updatePaymentTalk],
    watches: { 'order.track': orderTrackWatch(shop) },
    categories: [
      { id: 'menu', label: 'Menu' },
      { id: 'order', label: 'Orders' },
      { id: 'account', label: 'Your account' },
    ],
  })
}
