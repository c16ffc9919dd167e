import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { useMemoryFolder } from './test/support/memory-folder.ts'

// Without these conditions imports of our own packages would silently resolve to `dist`. `import` is not among them: it
// would hold for `require` too, and give modules to packages that ask for functions.
export const conditions = ['@cool-ai/source', 'node', 'module', 'default']

// For the workers, and for the programs that tests start again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

useMemoryFolder()

const never = ['**/node_modules/**', '**/dist/**']
const seed = 'test/support/property-seed.ts'
const guard = 'test/support/leaves-nothing.ts'

/** Files that change what the modules of a process share (its environment, default registries, a module of Node), look at its memory or fill it. */
const alone = [
  'test/simulation/simulation.test.ts',
  // The public suite has time limits of its own: its server is alone in its process.
  'test/mcp/conformance/conformance.test.ts',
  'test/spec-samples/{000-agent-card-advertising,000-browser-routes-by-part-type,000-consumer-defined-part-types,000-surface-template-registration,000-worked-example-end-to-end,003-transports-and-auth-types}.test.ts',
  'test/spec-samples/004-{common-shapes,parser-behaviour,part-types,tool-schema,turn-states}.test.ts',
  'packages/a2ui/src/model/resolve-value.test.ts',
  'packages/a2ui/src/readable/examples.test.ts',
  'packages/beach/src/routes.test.ts',
  'packages/channel/src/auth/{api-key,mtls}-auth.test.ts',
  'packages/channel/src/guarded-fetch/limits.test.ts',
]

/** Tests of a package that start whole agents. */
const wholeAgents = 'packages/testing/src/agent/*.test.ts'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    execArgv: ['--conditions=@cool-ai/source'],
    pool: 'forks',
    // Half of the time tests wait for processes, browsers and leases: two cores are worth four workers.
    maxWorkers: availableParallelism() + 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { setupFiles: 'list' },
    projects: [
      {
        extends: true,
        test: {
          name: 'isolated',
          include: alone,
          exclude: never,
          setupFiles: [seed],
        },
      },
      // Loading modules and starting browsers takes longer than most tests: the files of these two share a process, and its browser.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['examples/**/*.test.ts', 'test/**/*.test.ts', wholeAgents],
          exclude: [...never, ...alone],
          isolate: false,
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: [seed, 'test/support/with-a2ui.ts', guard, 'test/support/openapi-traffic.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['packages/*/src/**/*.test.ts', 'packages/page/page/**/*.test.ts'],
          exclude: [...never, ...alone, wholeAgents],
          isolate: false,
          setupFiles: [seed, guard],
        },
      },
    ],
  },
})
