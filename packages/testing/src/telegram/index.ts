export { telegramButtons, telegramText, type TelegramButton, type TelegramMessage } from './telegram-message.ts'
export { TelegramStandIn, type TelegramSaying } from './telegram-stand-in.ts'
