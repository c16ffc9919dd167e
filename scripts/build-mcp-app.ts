import { writeFileSync } from 'node:fs'
import { bundleAppScript } from '../packages/a2ui/src/mcp-app/bundle-app-script.ts'

// What the published package serves; run it after the types were built.
writeFileSync(new URL('../packages/a2ui/dist/mcp-app/app-script.js', import.meta.url), await bundleAppScript())
