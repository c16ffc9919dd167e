import type { ReadResourceResult, Tool } from '@modelcontextprotocol/server'

/** The name of MCP Apps among the extensions of MCP. */
export const appsExtension = 'io.modelcontextprotocol/ui'
export const appMimeType = 'text/html;profile=mcp-app'

/** The page that hosts of MCP Apps show the surfaces of an answer in. */
export interface McpApp {
  /** The whole page as one text; it is told which tools to call when the user acts on a surface. */
  readonly html: (tools: { readonly ask: string; readonly decide: string }) => Promise<string>
}

/** The page as a resource, and how tools and server refer to it. */
export interface AppResource {
  readonly uri: string
  readonly toolMeta: NonNullable<Tool['_meta']>
  readonly extensions: Record<string, Record<string, never>>
  readonly read: () => Promise<ReadResourceResult>
}

/** Serves the page for an agent. */
export function appResource(agentId: string, app: McpApp, tools: Parameters<McpApp['html']>[0]): AppResource {
  const uri = `ui://${encodeURIComponent(agentId)}/surfaces`
  // It makes no requests: everything goes through the host.
  const meta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: false } }
  return {
    uri,
    // The second form is the one of hosts from before the extension was settled.
    toolMeta: { ui: { resourceUri: uri }, 'ui/resourceUri': uri },
    extensions: { [appsExtension]: {} },
    read: async () => ({ contents: [{ uri, mimeType: appMimeType, text: await app.html(tools), _meta: meta }] }),
  }
}
