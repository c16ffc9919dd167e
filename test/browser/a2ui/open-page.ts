import { afterAll, beforeAll, type TestContext } from 'vitest'
import { newBrowser } from '../../support/browser.ts'
import { startSurfacePage, type SurfacePageServer } from './server.ts'
import { SurfacePage } from './surface-page.ts'

/** Serves the page for the tests of a file, and opens it in a browser of its own for each. */
export function surfacePages(): (
  test: TestContext,
  options?: Parameters<typeof newBrowser>[1],
) => Promise<SurfacePage> {
  let server: SurfacePageServer | undefined
  beforeAll(async () => {
    server = await startSurfacePage()
  })
  afterAll(() => server?.close())
  return async (test, options = {}) => SurfacePage.open(await newBrowser(test, options), server?.url ?? '')
}
