export {
  googleChatButtons,
  googleChatText,
  type GoogleChatButton,
  type GoogleChatMessage,
} from './google-chat-message.ts'
export { GoogleChatStandIn, type GoogleChatSaying } from './google-chat-stand-in.ts'
