import { spawnSync } from 'node:child_process'

// Makes the pictures in docs/screenshots anew, by the tests that look at those states anyway.
const tests = [
  ...['page-looks', 'previews-page', 'local-pages', 'coffee-page'].map((name) => `test/browser/${name}`),
  'test/inspect/inspect-page',
  'test/inspect/hard-case',
]
const { status } = spawnSync(
  process.execPath,
  ['--conditions=@cool-ai/source', 'node_modules/vitest/vitest.mjs', 'run', '--configLoader=native', ...tests],
  { stdio: 'inherit', env: { ...process.env, UPDATE_SCREENSHOTS: '1' } },
)
process.exitCode = status ?? 1
