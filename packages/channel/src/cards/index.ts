export { cachePolicy, type CacheDefaults, type CachePolicy } from './cache-policy.ts'
export {
  CallerCards,
  type CallerCard,
  type CallerCardsOptions,
  type CardNaming,
  type CardReader,
} from './caller-cards.ts'
export { cardRefused, type CardRefusal } from './card-refusal.ts'
export { fetchCard, isJson, tagIn } from './fetch-card.ts'
