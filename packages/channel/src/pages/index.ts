export { approvalHtml, decidedHtml } from './approval-html.ts'
export { factsHtml, plainPage, type PlainPage } from './plain-page.ts'
