export { chatChannel } from './chat-channel.ts'
export type { ChatAdapter, ChatChannelOptions, ChatSender, ChatUser } from './options.ts'
export { chatOriginator } from './places.ts'
