export { discordButtons, discordText, type DiscordButton, type DiscordMessage } from './discord-message.ts'
export { DiscordStandIn, type DiscordSaying } from './discord-stand-in.ts'
