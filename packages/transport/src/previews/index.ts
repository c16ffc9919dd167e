export { previewingChannels, type PreviewWorld } from './previewing-channels.ts'
export { previewsRoute, type PreviewingChannel, type PreviewsRouteOptions } from './previews-route.ts'
