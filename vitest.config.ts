import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Without these conditions imports of our own packages would silently resolve to `dist`. `import` is not among them: it
// would hold for `require` too, and give modules to packages that ask for functions.
const conditions = ['@cool-ai/source', 'node', 'module', 'default']

// For the workers, and for the programs that tests start again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    execArgv: ['--conditions=@cool-ai/source'],
    pool: 'forks',
    // Many tests wait for processes and browsers of their own: two cores are worth two workers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
