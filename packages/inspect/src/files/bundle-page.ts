import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const page = new URL('../../page/', import.meta.url)

/** The page's files as a build writes them: its script in one piece. */
export async function bundlePage(): Promise<Readonly<Record<'html' | 'script' | 'style', string>>> {
  await using build = await rolldown({
    input: fileURLToPath(new URL('main.tsx', page)),
    platform: 'browser',
    tsconfig: false,
    transform: {
      define: { 'process.env.NODE_ENV': JSON.stringify('production') },
      jsx: { runtime: 'automatic', importSource: 'preact' },
    },
    resolve: { conditionNames: ['@cool-ai/source', 'browser', 'import', 'module', 'default'] },
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  const [html, style] = await Promise.all(
    ['index.html', 'style.css'].map((name) => readFile(new URL(name, page), 'utf8')),
  )
  return { html: html ?? '', style: style ?? '', script: output[0].code }
}
