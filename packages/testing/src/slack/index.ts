export { SlackStandIn, type SlackSaying } from './slack-stand-in.ts'
export { slackButtons, slackText, type SlackBlock, type SlackButton, type SlackMessage } from './slack-message.ts'
export { slackEntrySchema, type SlackEntry } from './slack-entry.ts'
