import { basicCatalogId } from '../../messages.ts'
import type { AppTools } from '../surface-app.ts'
import type { SurfaceAction } from '../../renderer/renderer-options.ts'
import { createA2uiRenderer } from '../../renderer/renderer.ts'
import { answerOf, type Answer, decisionFromAction, conversationKey, toolShowOf, type ToolShow } from './answer.ts'
import { joinHost, type Host, type HostContext, type ToolResult } from './host.ts'

const dataModelKey = 'cool-ai.beach/a2uiClientDataModel'

const tools = JSON.parse(document.querySelector('#tools')?.textContent ?? '{}') as AppTools
const container = document.querySelector('main') ?? document.body
let host: Host | undefined
let conversationId: string | undefined
let texts = 0
let toolShown: ToolShow | undefined

const renderer = createA2uiRenderer({
  container,
  onAction: act,
  openUrl: (url) => void host?.openLink(url),
})

// Apart from the others: what an agent says never gets to call what a surface of a tool may.
const toolRenderer = createA2uiRenderer({
  container,
  onAction: useTool,
  openUrl: (url) => void host?.openLink(url),
})

/** Shows the surfaces of an answer. Its words are shown by the host, unless there is nothing else, or no host to show them. */
function show(answer: Answer, withWords: boolean): void {
  conversationId = answer.conversationId ?? conversationId
  const words = withWords || answer.surfaces.length === 0 ? answer.texts : []
  for (const text of words) renderer.handle(inWords(text))
  for (const surface of answer.surfaces) renderer.handle(surface)
}

/** Sends what the user did on a surface as a call of a tool, and shows what the agent answers. */
async function act({ action, dataModel }: SurfaceAction): Promise<void> {
  if (host === undefined || conversationId === undefined) throw new Error('There is no conversation to send this to.')
  const { name, surfaceId } = action
  // It is decided by a tool of its own, which hosts ask their users about by itself.
  const decided = decisionFromAction(action)
  const call = decided
    ? host.callTool(tools.decide, { conversationId, ...decided })
    : host.callTool(
        tools.ask,
        { message: `The user chose “${name}” on a surface.`, conversationId, action },
        dataModel && { [dataModelKey]: dataModel },
      )
  const answer = answerOf(await call)
  if (answer.problem !== undefined) throw new Error(answer.problem)
  if (decided) renderer.setState(surfaceId, 'done', decided.decision === 'granted' ? 'Approved.' : 'Denied.')
  show(answer, true)
  await host.updateModel([`The user chose “${name}” on a surface.`, ...answer.texts].join('\n')).catch(() => {})
}

/** Shows what a call of a tool shows, in place of what was there. */
function showTool(shown: ToolShow): void {
  const { messages, surfaceIds, problem } = shown
  if (messages !== undefined) {
    toolShown = shown
    toolRenderer.handle({ data: messages, metadata: { slotKey: 'tool' } })
  }
  if (problem === undefined) return
  if (surfaceIds.length === 0) toolRenderer.handle({ ...inWords(problem), metadata: { slotKey: 'problem' } })
  for (const surfaceId of surfaceIds) toolRenderer.setState(surfaceId, 'open', problem)
}

/** Calls the tool that an action is for, and shows what it shows then. */
async function useTool({ action }: SurfaceAction): Promise<void> {
  if (host === undefined || toolShown === undefined) throw new Error('There is no host to send this to.')
  const { tool, args } = toolShown.callFor(action)
  const { conversationId: conversation } = toolShown
  const meta = conversation === undefined ? undefined : { [conversationKey]: conversation }
  const result = await host.callTool(tool, args, meta)
  const shown = toolShowOf(result)
  // What the tool shows says it in words for people; its result is for models.
  const problem = shown?.messages === undefined ? (shown?.problem ?? answerOf(result).problem) : undefined
  if (problem !== undefined) throw new Error(problem)
  if (shown === undefined) return
  showTool(shown)
  if (shown.note !== undefined) {
    await host.updateModel(`The user has used the surface of a tool.\n${shown.note}`).catch(() => {})
  }
}

function inWords(text: string) {
  const surfaceId = `beach-words-${++texts}`
  const version = 'v0.9'
  return {
    data: [
      { version, createSurface: { surfaceId, catalogId: basicCatalogId } },
      { version, updateComponents: { surfaceId, components: [{ id: 'root', component: 'Text', text }] } },
    ],
  }
}

function showResult(result: ToolResult): void {
  const shown = toolShowOf(result)
  if (shown !== undefined) return showTool(shown)
  const answer = answerOf(result)
  show(answer.problem === undefined ? answer : { ...answer, texts: [answer.problem] }, answer.problem !== undefined)
}

function applyHostTheme({ theme, styles }: HostContext): void {
  const { documentElement: root } = document
  if (theme !== undefined) root.dataset.theme = theme
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (/^--[a-z0-9-]+$/.test(name) && value !== undefined) root.style.setProperty(name, value)
  }
}

joinHost({
  onResult: showResult,
  onContext: applyHostTheme,
  onCancelled: (reason) => renderer.handle(inWords(reason === '' ? 'This was cancelled.' : `Cancelled: ${reason}`)),
  onEnd: () => {
    renderer.dispose()
    toolRenderer.dispose()
  },
}).then(
  (joined) => {
    host = joined
  },
  (error: unknown) => renderer.handle(inWords(String(error))),
)
