import { readFile } from 'node:fs/promises'
import { surfaceAppOf, type SurfaceApp } from './surface-app.ts'

export type { AppTools, SurfaceApp } from './surface-app.ts'

/** The app as it is published: its script was bundled when the package was built. */
export function surfaceApp(): SurfaceApp {
  return surfaceAppOf(() => readFile(new URL('./app-script.js', import.meta.url), 'utf8'))
}
