import '../../scripts/check-node.mjs'

await import('./mcp.ts')
