import { build } from 'vite'

// Bundles a page in a process of its own, which ends with it: Vite and Rolldown take some 250 MB that a process never
// gives back. The arguments are the page's folder and the path that it will be served below.
const [root = '', base = '/'] = process.argv.slice(2)
process.once('disconnect', () => process.exit())

const result = await build({
  configFile: false,
  root,
  base,
  logLevel: 'warn',
  // Whatever environment it is bundled in: the result is kept, and served in others.
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: { write: false, modulePreload: false, assetsInlineLimit: 0 },
})
const files = new Map<string, string | Uint8Array>()
for (const output of Array.isArray(result) ? result : [result]) {
  if (!('output' in output)) continue
  for (const file of output.output) files.set(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
}
process.send?.(files, () => process.disconnect())
