import { Doors, doorEdges } from './doors.ts'
import type { Edge } from './edge.ts'
import { parsers } from './parsers.ts'
import { socketEdges } from './sockets.ts'

/** Every edge, those of a running agent too. */
export async function allEdges(): Promise<{ edges: readonly Edge[]; close: () => Promise<void> }> {
  const agent = await Doors.open()
  const { url } = await agent.beach.listen({ port: 0, signals: false })
  const sockets = socketEdges(agent, url)
  return {
    edges: [...parsers, ...doorEdges(agent), ...sockets.edges],
    async close() {
      sockets.close()
      await agent.beach.close()
    },
  }
}
