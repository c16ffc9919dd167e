export { FlowHost, type FlowHostProps } from './flow-host.ts'
export {
  FlowProvider,
  type FlowProviderProps,
  FlowTestProvider,
  type FlowTestProviderProps,
  type FlowComponent,
  type FlowComponents,
  type FlowEntry,
  type FlowPlatform,
} from './flows-context.ts'
export { FlowRenderer, type FlowRendererProps } from './flow-renderer.ts'
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
