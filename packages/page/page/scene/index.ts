/* What data is read and written with, without anything of a page. */
export {
  answerBlocks,
  day,
  daysLater,
  fields,
  finite,
  forPeople,
  listOfFields,
  longDay,
  money,
  peerOf,
  text,
  timeOfDay,
  type Fields,
} from '@cool-ai/beach-client/view'
