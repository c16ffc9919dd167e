// The page in a browser: rendered on a server before, or not; bundled by the test.
import { createElement as h, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { Page, type PageProps } from './page.ts'

const problems: string[] = []
const keep = (error: unknown) => void problems.push(String(error))

/** Takes over what the server has rendered, as a framework does. */
export function hydrate(props: PageProps): void {
  const root = document.getElementById('root')
  if (root !== null)
    hydrateRoot(root, h(StrictMode, null, h(Page, props)), { onRecoverableError: keep, onUncaughtError: keep })
}

export function show(props: PageProps): void {
  const root = document.getElementById('root')
  if (root !== null)
    createRoot(root, { onUncaughtError: keep, onCaughtError: keep }).render(h(StrictMode, null, h(Page, props)))
}

export { problems }
