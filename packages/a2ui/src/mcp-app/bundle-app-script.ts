import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Bundles the app’s script, with the renderer in it, into one text. */
export async function bundleAppScript(): Promise<string> {
  const entry = fileURLToPath(new URL('page/main.ts', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
    build: {
      write: false,
      lib: { entry, formats: ['iife'], name: 'app', fileName: 'app' },
      minify: true,
    },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const chunks = outputs.flatMap((output) => ('output' in output ? output.output : []))
  const [script, ...others] = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk.code] : []))
  if (script === undefined || others.length > 0) throw new Error('The script of the MCP app did not become one file.')
  return script
}
