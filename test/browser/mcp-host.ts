import type { CallToolRequest, CallToolResult, Client } from '@modelcontextprotocol/client'
import { getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { FrameLocator, Page } from 'playwright-core'
import type { TestContext } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import type { TestHost } from './a2ui/host.ts'
import { startSurfacePage } from './a2ui/server.ts'

// What the specification of MCP Apps has hosts enforce when an app asks for nothing.
const hostPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'"

export type HostGlobal = { host: TestHost }

/** A page with the stock host of MCP Apps in it, which has loaded the app of a tool. */
export interface McpHost {
  readonly page: Page
  readonly app: FrameLocator
  /** The tools that the app has called. */
  readonly calls: CallToolRequest['params'][]
  /** Errors and warnings of the page and of the browser. */
  readonly logged: string[]
  readonly show: (result: CallToolResult, options?: Parameters<TestHost['show']>[1]) => Promise<void>
  /** What the host’s model was told. */
  readonly reported: () => Promise<readonly string[]>
}

/** Loads the app of a tool of the client’s server; what it calls, the client calls. */
export async function openMcpHost(test: TestContext, client: Client, tool: string): Promise<McpHost> {
  const { tools } = await client.listTools()
  const uri = getToolUiResourceUri(tools.find(({ name }) => name === tool) ?? {})
  if (uri === undefined) throw new Error(`The tool ${tool} has no app.`)
  const { contents } = await client.readResource({ uri })
  const [content] = contents
  if (content === undefined || !('text' in content)) throw new Error('The app has no text.')
  const server = await startSurfacePage('host.html', { '/app': { html: content.text, policy: hostPolicy } })
  test.onTestFinished(() => server.close())
  const page = await (await newBrowser(test)).newPage()
  page.setDefaultTimeout(10_000)
  const logged: string[] = []
  page.on('pageerror', (error) => logged.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') logged.push(message.text())
  })
  const calls: McpHost['calls'] = []
  await page.exposeFunction('callTool', (params: McpHost['calls'][number]) => {
    calls.push(params)
    return client.callTool(params)
  })
  await page.goto(server.url)
  return {
    page,
    app: page.frameLocator('iframe'),
    calls,
    logged,
    show: (result, options) =>
      page.evaluate(([given, how]) => (globalThis as unknown as HostGlobal).host.show(given, how), [
        result,
        options,
      ] as const),
    reported: () => page.evaluate(() => (globalThis as unknown as HostGlobal).host.reported),
  }
}
