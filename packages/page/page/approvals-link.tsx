import { useContext } from 'preact/hooks'
import { WaitingContext } from './context.ts'
import { Icon } from './icon.tsx'
import { inbox } from './use-waiting.ts'

/** The way to all that waits for this user's decision, over all conversations and agents, and how much that is. */
export function ApprovalsLink() {
  const { count } = useContext(WaitingContext)
  return (
    <div class="entry">
      <a href={inbox}>
        <Icon name="lock" />
        Approvals
        {count > 0 && (
          <span class="count">
            {count}
            <span class="hidden"> waiting</span>
          </span>
        )}
      </a>
    </div>
  )
}
