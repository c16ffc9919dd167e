/* What a conversation looks like, as data: for pages and components, on servers too. It may change with any release. */
export { actionLabel } from './action-label.ts'
export { answerBlocks, type AnswerBlock } from './answer-blocks.ts'
export { approvalIn, approvalsOf, type Approval, type Decision } from './approvals.ts'
export {
  argumentField,
  changeArgument,
  whatRuns,
  type ArgumentField,
  type ChangedArguments,
} from './changed-arguments.ts'
export { currencySign } from '@cool-ai/beach-protocol/approval-words'
export { exchangeFold, type AnswerExchange, type Exchange, type MessageExchange } from './exchanges.ts'
export { fields, finite, isFields, listOfFields, text, type Fields } from './fields.ts'
export { footnotesOf, numbersFor, type Footnote } from './footnotes.ts'
export {
  asName,
  day,
  daysLater,
  fileSize,
  forPeople,
  inWords,
  localDayAndTime,
  longDay,
  moment,
  money,
  timeOfDay,
  until,
} from './format.ts'
export { nothingYet } from '../conversation.ts'
export { isUndecided, OwnDecisions, type OwnApproval } from './own-decisions.ts'
export { originName, peerName, peerOf, type PeerNames } from './peers.ts'
export { quickReplies } from './quick-replies.ts'
export { ownFile, safeLink } from './safe-link.ts'
export { isShownSurface, withoutAgentName } from './surface-parts.ts'
export { SurfacePlaces, type CreateSurfaceRenderer, type SurfaceAct } from './surface-places.ts'
export { cellText, tableOf } from './table.ts'
export { watchArmed } from './watch-armed.ts'
