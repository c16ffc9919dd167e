import module from 'node:module'
import { fileURLToPath } from 'node:url'

// What Node has compiled once, and stripped of its types, it finds again at the next start. In a folder of ours: what lies
// in the system's folder for temporary files could be another user's.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
