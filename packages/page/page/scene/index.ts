/* What data is read and written with, without anything of a page. */
export { answerBlocks } from './answer-blocks.ts'
export { fields, finite, listOfFields, text, type Fields } from './fields.ts'
export { day, daysLater, forPeople, longDay, money, timeOfDay } from './format.ts'
export { peerOf } from './peers.ts'
