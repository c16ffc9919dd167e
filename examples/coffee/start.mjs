import '../../scripts/check-node.mjs'

await import('./start.ts')
