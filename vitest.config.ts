import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Without these conditions imports of our own packages would silently resolve to `dist`. `import` is not among them: it
// would hold for `require` too, and give modules to packages that ask for functions.
const conditions = ['@cool-ai/source', 'node', 'module', 'default']

// For the workers, and for the programs that tests start again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

const never = ['**/node_modules/**', '**/dist/**']
const seed = 'test/support/property-seed.ts'

/** Units that change what the modules of a process share (its environment, default registries, a module of Node), or look at its memory. */
const alone = [
  'packages/a2ui/src/model/resolve-value.test.ts',
  'packages/a2ui/src/readable/examples.test.ts',
  'packages/beach/src/routes.test.ts',
  'packages/transport/src/auth/{api-key,mtls}-auth.test.ts',
  'packages/transport/src/guarded-fetch/limits.test.ts',
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    execArgv: ['--conditions=@cool-ai/source'],
    pool: 'forks',
    // Many tests wait for processes and browsers of their own: two cores are worth two workers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { setupFiles: 'list' },
    projects: [
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts', ...alone],
          exclude: never,
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: [seed],
        },
      },
      {
        extends: true,
        test: {
          // Loading modules takes longer than most units' tests: their files share a process.
          name: 'units',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...never, ...alone],
          isolate: false,
          setupFiles: [seed, 'test/support/leaves-nothing.ts'],
        },
      },
    ],
  },
})
