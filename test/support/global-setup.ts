import type { TestProject } from 'vitest/node'
import { prepareChromium, type Chromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly chromium: Chromium
  }
}

/** Runs once before all test files. Without a Chromium the browser tests fail and say why; the others still run. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('chromium', await prepareChromium())
}
