import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/client'

/** What tests find in the host’s page. */
export interface TestHost {
  /** Loads the app, and gives it a result once it is ready. */
  readonly show: (
    result: CallToolResult,
    options?: { theme?: 'light' | 'dark'; serverTools?: boolean },
  ) => Promise<void>
  readonly opened: string[]
  readonly reported: string[]
  /** Takes the app away as hosts do: it is asked first. */
  readonly end: () => Promise<unknown>
}

declare global {
  /** Calls a tool of the server, by the test’s own client. */
  var callTool: (params: CallToolRequest['params']) => Promise<CallToolResult>
}

let bridge: AppBridge | undefined

const host: TestHost = {
  opened: [],
  reported: [],
  async show(result, { theme = 'light', serverTools = true } = {}) {
    const frame = document.querySelector('iframe')
    if (frame?.contentWindow === undefined || frame.contentWindow === null) throw new Error('There is no frame.')
    const can = { openLinks: {}, updateModelContext: { text: {} }, ...(serverTools && { serverTools: {} }) }
    bridge = new AppBridge(null, { name: 'test-host', version: '1.0.0' }, can, { hostContext: { theme } })
    const initialized = new Promise<void>((resolve) => bridge?.addEventListener('initialized', () => resolve()))
    bridge.addEventListener('sizechange', ({ height }) => {
      if (height !== undefined) frame.height = String(height)
    })
    bridge.oncalltool = (params) => globalThis.callTool(params)
    bridge.onopenlink = async ({ url }) => {
      host.opened.push(url)
      return {}
    }
    bridge.onupdatemodelcontext = async ({ content = [] }) => {
      for (const block of content) if (block.type === 'text') host.reported.push(block.text)
      return {}
    }
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
    frame.src = '/app'
    await initialized
    await bridge.sendToolInput({ arguments: {} })
    await bridge.sendToolResult(result)
  },
  end: async () => bridge?.teardownResource({}),
}

Object.assign(globalThis, { host })
