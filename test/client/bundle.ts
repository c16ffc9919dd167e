import { fileURLToPath } from 'node:url'
import { build } from 'vite'

interface Bundle {
  readonly code: string
  /** The files that are in it, as paths. */
  readonly modules: readonly string[]
}

/** Bundles an entry, given as source text, as a user of the package would: in one file, minified. */
export async function bundle(entry: string, mode: 'production' | 'development' = 'production'): Promise<Bundle> {
  const id = fileURLToPath(new URL('entry.ts', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    mode,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    plugins: [
      { name: 'entry', resolveId: (name) => (name === id ? id : null), load: (name) => (name === id ? entry : null) },
    ],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: id, preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const chunks = outputs.flatMap((output) => ('output' in output ? output.output : []))
  const [chunk, ...others] = chunks
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error('The bundle is not one file.')
  return { code: chunk.code, modules: chunk.moduleIds }
}
