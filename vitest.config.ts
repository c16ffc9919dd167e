import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Without these conditions imports of our own packages would silently resolve to `dist`. `import` is not among them: it
// would hold for `require` too, and give modules to packages that ask for functions.
export const conditions = ['@cool-ai/source', 'node', 'module', 'default']

// For the workers, and for the programs that tests start again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

const never = ['**/node_modules/**', '**/dist/**']
const seed = 'test/support/property-seed.ts'
const guard = 'test/support/leaves-nothing.ts'

/**
 * Tests of whole agents that need nothing but this process: no other process, no browser, and none of the environment.
 * What is not named here has a process of its own.
 */
const agents = [
  'examples/**/*.test.ts',
  'test/{a2a,a2a-client,a2ui,actions,channels,floods,models,previews,slices}/*.test.ts',
  'test/agui/{ask,door,run}.test.ts',
  'test/client/{actions,conversation}.test.ts',
  'test/clock/tokens.test.ts',
  'test/cron/{injected,jobs,ticks}.test.ts',
  'test/email/{approvals,conformance,floods,imap,mail,words-of-others}.test.ts',
  'test/intentflow/{checklist,client,coffee-talk,flow-actor,flow-surface,from-a-phone,guide,interrupts,links,mcp-flows}.test.ts',
  'test/live/{device-links,resume,stalled,websocket*}.test.ts',
  'test/mcp/{card-door,conversation,door,in-band,patterns,resources}.test.ts',
  'test/missives/{channels,erasure,growth,keeping,tools,upkeep}.test.ts',
  'test/sms/{approvals,conformance,forgetting,sending,webhook}.test.ts',
  'test/webhook/{answers,callbacks,conformance,inbound,remembering}.test.ts',
  'test/whatsapp/{approvals,conformance,forgetting,joined,sending,webhook}.test.ts',
  'test/{artifacts,auth,decisions,http,limits,operator,serve}.test.ts',
]

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
          include: ['test/**/*.test.ts', ...alone],
          exclude: [...never, ...agents],
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: [seed],
        },
      },
      // Loading modules takes longer than most tests of these two: their files share a process.
      {
        extends: true,
        test: {
          name: 'shared',
          include: agents,
          exclude: never,
          isolate: false,
          setupFiles: [seed, 'test/support/with-a2ui.ts', guard],
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...never, ...alone],
          isolate: false,
          setupFiles: [seed, guard],
        },
      },
    ],
  },
})
