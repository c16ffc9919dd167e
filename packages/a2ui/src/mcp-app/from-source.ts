import { surfaceAppOf, type SurfaceApp } from './surface-app.ts'

export type { AppTools, SurfaceApp } from './surface-app.ts'

/** The app in a checkout: its script is bundled when a host first asks for it. */
export function surfaceApp(): SurfaceApp {
  return surfaceAppOf(async () => (await import('./bundle-app-script.ts')).bundleAppScript())
}
