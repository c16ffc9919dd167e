import { readFile } from 'node:fs/promises'
import { pageOf, type PageFiles } from './page-files.ts'

let files: Promise<PageFiles> | undefined

/** The page as it is published: it was bundled when the package was built. */
export function pageFiles(): Promise<PageFiles> {
  files ??= Promise.all(
    ['index.html', 'app.js', 'style.css'].map((name) => readFile(new URL(`../page/${name}`, import.meta.url), 'utf8')),
  ).then(([html = '', script = '', style = '']) => pageOf(html, script, style))
  files.catch(() => (files = undefined))
  return files
}
