export { aiSdkChannel, type AiSdkChannelOptions } from './ai-sdk-channel.ts'
