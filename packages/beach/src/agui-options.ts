import type { AguiChannelOptions } from '@cool-ai/beach-agui'

/** How an agent is served by AG-UI; all of it may be left out. */
export type AguiOptions = Partial<Pick<AguiChannelOptions, 'guests' | 'origins' | 'cancelOnDisconnect' | 'body'>>
