import { Conversation, useBeach } from '@cool-ai/beach-react'

const suggestions = ['What time is it in Lisbon?', 'And in Tokyo?']

/** The conversation, below a head of this page: what `useBeach` gives can be used beside it. */
export function Chat() {
  const beach = useBeach()
  const open = beach.approvals.filter(
    ({ outcome, mine, isOwn }) => (outcome ?? mine) === undefined && isOwn !== false,
  ).length
  return (
    <>
      <header>
        <h1>My agent</h1>
        {open > 0 && <p role="status">{open} to decide</p>}
        <button onClick={beach.fresh} disabled={beach.sessionId === undefined}>
          New conversation
        </button>
      </header>
      <Conversation beach={beach} title="My agent" suggestions={suggestions} />
    </>
  )
}
