import { surfaceAppOf, type SurfaceApp } from './surface-app.ts'

export type { AppTools, SurfaceApp } from './surface-app.ts'

let script: Promise<string> | undefined

/** The app in a checkout: its script is bundled when a host first asks for it, once for all agents of a process. */
export function surfaceApp(): SurfaceApp {
  return surfaceAppOf(() => (script ??= import('./bundle-app-script.ts').then((module) => module.bundleAppScript())))
}
