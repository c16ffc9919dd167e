export { FlowHost, type FlowHostProps } from './flow-host.ts'
export { FlowProvider, type FlowProviderProps } from './flow-provider.ts'
export { FlowRenderer, type FlowRendererProps } from './flow-renderer.ts'
export { FlowTestProvider, type FlowTestProviderProps } from './flow-test-provider.ts'
export type { FlowComponent, FlowComponents, FlowEntry, FlowPlatform } from './flows-context.ts'
export {
  useActiveFlows,
  useFlow,
  useFlowClient,
  useFlowContext,
  useFlowDispatch,
  useFlowError,
  useFlowProps,
  useFlowsSnapshot,
  useFlowState,
  useRenderContext,
  type FlowDispatch,
  type FlowErrorState,
  type RenderContext,
} from './hooks.ts'
