export type { CapabilityManifest, FlowCapability, FlowEventCapability } from './capability-manifest.ts'
export type { FlowCategory, FlowCategoryOptions } from './categories.ts'
export { fitsContext, type FlowFilter } from './filters.ts'
export {
  createRegistry,
  FlowRegistry,
  type FlowBundle,
  type FlowParts,
  type RegisteredFlow,
  type RegistryEvent,
} from './flow-registry.ts'
export type { FoundFlow, SearchOptions } from './search.ts'
export type { FlowToolDefinition } from './tool-definitions.ts'
