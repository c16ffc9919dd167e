export { teamsButtons, teamsFile, teamsText, type TeamsButton, type TeamsMessage } from './teams-message.ts'
export { TeamsStandIn, type TeamsDialog, type TeamsSaying } from './teams-stand-in.ts'
