import { mkdirSync, writeFileSync } from 'node:fs'
import { bundlePage } from '../packages/inspect/src/files/bundle-page.ts'

// What the published package serves; run it after the types were built.
const folder = new URL('../packages/inspect/dist/page/', import.meta.url)
const { html, script, style } = await bundlePage()
mkdirSync(folder, { recursive: true })
const files = { 'index.html': html, 'app.js': script, 'style.css': style }
for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text)
