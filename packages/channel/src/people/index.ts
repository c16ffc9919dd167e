export { lowerAscii, trimAscii } from './ascii.ts'
export { AskDigest, type GatheredAsk } from './ask-digest.ts'
export { approvalRecord } from './approval-record.ts'
export { isQuestion, questionSession, requestContext } from './approval-question.ts'
export { decidedText, type DecisionFrame } from './decided-text.ts'
export { agreedDecision, decisionFromWords } from './decision-words.ts'
export {
  buttonsOf,
  isOutdated,
  listOf,
  offeredIn,
  pressPart,
  sentChoices,
  withChoice,
  type Offered,
  type OfferedList,
} from './choices.ts'
export { eachKey } from './each-key.ts'
export { parkedKey, inboxName, waitingKey, type InboxEntry } from './inbox-entry.ts'
export { discard, listPutAside, requeue } from './parked-message.ts'
export { oneLine, shortened, splitText } from './split-text.ts'
export { dayMs, hourMs, StoreCaps, type Cap, type CapResult } from './store-caps.ts'
export { blocksOf, type Block, type BlocksOf, type NumberedChoice } from './blocks.ts'
export { deliver, isBegun, readMark, sentAs, type Delivered, type DeliveredPush, type Transmitted } from './deliver.ts'
export { extensionOf, findFile, isWebLink, namedFile, takeFile, type FileReader, type FileSource } from './files.ts'
export { Inbox } from './inbox.ts'
export { PersonLog } from './person-log.ts'
export {
  conversationCount,
  listFor,
  type Ask,
  type AskPut,
  type DeliveryStatus,
  type MessageState,
  type PersonEvent,
  type PersonState,
} from './person-state.ts'
export { isPending, waitsFor, waitsText } from './waiting-message.ts'
