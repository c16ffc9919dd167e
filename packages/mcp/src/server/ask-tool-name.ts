/** What the tool is called by which an agent is asked, by default. */
export function askToolName(agentId: string): string {
  return `ask_${agentId.replaceAll(/[^A-Za-z0-9_]+/g, '_')}`
}
