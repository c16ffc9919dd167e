export type { ArtifactsRouteOptions } from './artifacts/artifacts-route.ts'
export type { DeviceLinkRoutesOptions } from './device-links/device-link-routes.ts'
export type { InboxOptions } from './inbox/inbox-options.ts'
export {
  artifactsRoute,
  deviceLinkRoutes,
  inboxRoutes,
  memoryRoutes,
  metricsRoute,
  operatorRoutes,
  previewRoutes,
} from './late-routes.ts'
export type { OperatorRoutesOptions } from './operator/operator-routes.ts'
export type { PreviewingChannel, PreviewRoutesOptions } from './previews/preview-routes.ts'
export { sseChannel } from './sse/sse-channel.ts'
export { webSocketChannel } from './websocket/websocket-channel.ts'
