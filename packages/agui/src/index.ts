export { aguiChannel, type AguiChannelOptions } from './agui-channel.ts'
export type { AguiState } from './state-patch.ts'
export type { RunWarning } from './run-warning.ts'
