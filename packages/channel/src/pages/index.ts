export { approvalHtml, changesHtml, decidedHtml } from './approval-html.ts'
export { decisionFieldsHtml, decisionIn, isDecisionField, problemHtml } from './decision-form.ts'
export { factsHtml, plainPage, type PlainPage } from './plain-page.ts'
