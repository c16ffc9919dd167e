export { aguiChannel, type AguiChannel, type AguiChannelOptions } from './agui-channel.ts'
export type { AguiAbout } from './capabilities.ts'
export type { AguiState } from './state-patch.ts'
export type { RunWarning } from './run-warning.ts'
