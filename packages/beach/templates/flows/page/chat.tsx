import { Conversation, useBeach, type UsedBeach } from '@cool-ai/beach-react'
import { createFlowClient, sessionTransport, type FlowClient } from '@intentflow/core/client'
import { FlowHost, FlowProvider } from '@intentflow/core/react'
import { useEffect, useState } from 'react'
import { TableCard } from './table-card.tsx'

const suggestions = ['A table for four', 'A table for two']
const components = { 'table.book': { component: TableCard, title: 'Book a table' } }

/** The conversation, and below it the flows that are open in it. */
export function Chat() {
  const beach = useBeach()
  const client = useFlows(beach.conversation)
  return (
    <>
      <header>
        <h1>Table</h1>
        <button onClick={beach.fresh} disabled={beach.sessionId === undefined}>
          New conversation
        </button>
      </header>
      <Conversation beach={beach} title="Table" suggestions={suggestions} />
      {client !== undefined && (
        <FlowProvider client={client} components={components}>
          <FlowHost />
        </FlowProvider>
      )}
    </>
  )
}

/** The flows of a conversation, which its own connection brings. */
function useFlows(conversation: UsedBeach['conversation']): FlowClient | undefined {
  const [client, setClient] = useState<FlowClient>()
  useEffect(() => {
    if (conversation === undefined) return
    const made = createFlowClient({ transport: sessionTransport(conversation) })
    setClient(made)
    return () => {
      setClient(undefined)
      made.close()
    }
  }, [conversation])
  return client
}
