import '../../scripts/check-node.mjs'
import '../../scripts/compile-cache.mjs'

await import('./start.ts')
