import { join, parse } from 'node:path'
import { build, mergeConfig, type InlineConfig } from 'vite'

// Bundles a page in a process of its own, which ends with it: Vite and Rolldown take some 250 MB that a process never
// gives back. The arguments are the page's folder, the path that it will be served below, and
// for a script that stands alone its file in that folder: its name stays, and what it loads is in a folder of that name.
const [root = '', base = '/', script] = process.argv.slice(2)
process.once('disconnect', () => process.exit())

/** Components of React, drawn by Preact: a page that is not ours brings neither. */
const alone = (file: string): InlineConfig => ({
  resolve: { alias: { 'react-dom/client': 'preact/compat/client', react: 'preact/compat' } },
  build: {
    // As a library, or Vite adds code that loads style sheets.
    lib: { entry: join(root, file), formats: ['es'] },
    rolldownOptions: {
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: `${parse(file).name}/[name]-[hash].js`,
        minify: true,
      },
    },
  },
})

const common: InlineConfig = {
  configFile: false,
  root,
  base,
  logLevel: 'warn',
  // Whatever environment it is bundled in: the result is kept, and served in others.
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    write: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // “use client” of components of React means nothing in a page, and is no news for who starts an agent.
      onLog: (level, log, report) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : report(level, log)),
    },
  },
}
const result = await build(script === undefined ? common : mergeConfig(common, alone(script)))
const files = new Map<string, string | Uint8Array>()
for (const output of Array.isArray(result) ? result : [result]) {
  if (!('output' in output)) continue
  for (const file of output.output) files.set(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
}
process.send?.(files, () => process.disconnect())
