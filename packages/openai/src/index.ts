export { approvalTool } from './requests/approval-tool.ts'
export { openAiChannel, type OpenAiChannelOptions } from './openai-channel.ts'
