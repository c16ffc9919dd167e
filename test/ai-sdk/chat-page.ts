// A page with the stock useChat, bundled by the test and run in a real browser.
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { createElement as h, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

interface ChatProps {
  readonly id: string
  readonly messages: UIMessage[]
}

/** What the page itself can do for the agent. */
const tools = { page_title: { description: 'The title of the page.', parameters: { type: 'object', properties: {} } } }

function Chat({ id, messages: before }: ChatProps): ReactNode {
  const [draft, setDraft] = useState('')
  const [files, setFiles] = useState<FileList>()
  const { messages, status, error, sendMessage, stop, addToolApprovalResponse, addToolOutput } = useChat({
    id,
    messages: before,
    resume: true,
    transport: new DefaultChatTransport({ api: '/chat' }),
    sendAutomaticallyWhen: (now) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(now) || lastAssistantMessageIsCompleteWithToolCalls(now),
    onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) => {
      if (tool === 'page_title') void addToolOutput({ tool, toolCallId, output: document.title })
    },
  })
  const send = () => {
    void sendMessage({ text: draft, ...(files && { files }) }, { body: { tools } })
    setDraft('')
  }
  const decide = (request: string, approved: boolean) => void addToolApprovalResponse({ id: request, approved })
  return h(
    'main',
    null,
    h(
      'ol',
      null,
      messages.map((message) =>
        h(
          'li',
          { key: message.id, className: message.role },
          message.parts.map((part, index) => h(Part, { key: index, part, decide })),
        ),
      ),
    ),
    h('output', null, error?.message ?? status),
    h('input', { value: draft, onChange: (event: { target: { value: string } }) => setDraft(event.target.value) }),
    h('input', {
      type: 'file',
      onChange: (event: { target: { files: FileList | null } }) => setFiles(event.target.files ?? undefined),
    }),
    h('button', { onClick: send }, 'Send'),
    h('button', { onClick: () => void stop() }, 'Stop'),
  )
}

interface PartProps {
  readonly part: UIMessage['parts'][number]
  readonly decide: (request: string, approved: boolean) => void
}

function Part({ part, decide }: PartProps): ReactNode {
  switch (part.type) {
    case 'text':
      return h('p', null, part.text)
    case 'reasoning':
      return h('em', null, part.text)
    case 'file':
      return h('small', null, part.filename)
    case 'data-domain-data':
      return h('pre', null, JSON.stringify(part.data))
    case 'dynamic-tool': {
      if (part.state !== 'approval-requested') return h('code', null, `${part.toolName}: ${part.state}`)
      const { id } = part.approval
      return h('button', { onClick: () => decide(id, true) }, `Approve ${part.toolName} ${JSON.stringify(part.input)}`)
    }
    default:
      return null
  }
}

/** Shows the conversation that the address names, as it stands on the agent. */
async function show(): Promise<void> {
  const id = new URLSearchParams(location.search).get('id') ?? ''
  const answer = await fetch(`/chat/${id}`)
  const { messages } = answer.ok ? ((await answer.json()) as { messages: UIMessage[] }) : { messages: [] }
  const root = document.getElementById('root')
  if (root !== null) createRoot(root).render(h(Chat, { id, messages }))
}

void show()
