export type { DataKey } from './data-keys.ts'
export { resealStore, type Resealed } from './reseal.ts'
export { SealedStore } from './sealed-store.ts'
