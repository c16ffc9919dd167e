import { AnswerTools } from './answer-tools.tsx'
import { ApprovalRecord } from './approval-record.tsx'
import { ArtifactCard } from './artifact-card.tsx'
import { useSurroundings } from './context.ts'
import { DataView } from './data-view.tsx'
import { Fault } from './fault.tsx'
import { Footnotes } from './footnotes.tsx'
import { PeerWords } from './peer-words.tsx'
import { ProgressView } from './progress-view.tsx'
import { QuickReplies } from './quick-replies.tsx'
import {
  type AnswerBlock,
  answerBlocks,
  type AnswerExchange,
  asName,
  type Footnote,
  footnotesOf,
  moment,
  numbersFor,
} from '@cool-ai/beach-client/view'
import { SurfaceView } from './surface-view.tsx'
import { TextView } from './text-view.tsx'
import { Thinking } from './thinking.tsx'
import { Working } from './working.tsx'

/** All that one turn has said. */
export function AnswerView({ answer }: { readonly answer: AnswerExchange }) {
  const { extension } = useSurroundings()
  const { parts, turn, last, key } = answer
  const running = turn?.settled === false
  const footnotes = footnotesOf(parts)
  const blocks = answerBlocks(parts, running, extension)
  const actor = asName(turn?.actor ?? 'agent')
  const at = parts[0]?.at
  const failed = turn?.settled === true && turn.turnState === 'error'
  return (
    <article class="answer" aria-label={`${actor} says`} aria-busy={running}>
      <span class="mark" aria-hidden="true">
        {actor.charAt(0)}
      </span>
      <div class="body">
        <header class="who">
          <h2>{actor}</h2>
          {at !== undefined && <time dateTime={new Date(at).toISOString()}>{moment(at, Date.now())}</time>}
          {(!running || turn?.turnState === 'suspended') && <AnswerTools turnId={key} parts={parts} />}
        </header>
        {blocks.map((block) => (
          <Block key={block.key} block={block} answer={key} actor={actor} footnotes={footnotes} running={running} />
        ))}
        {turn?.finalizedBy === 'cancelled' && <p class="stopped">You stopped this.</p>}
        <Footnotes answer={key} footnotes={footnotes} />
        {running && turn?.turnState !== 'suspended' && <Working {...stateWords(turn?.turnState)} />}
        {failed && <Fault parts={parts} last={last} />}
        {last && !running && <QuickReplies parts={parts} />}
      </div>
    </article>
  )
}

interface BlockProps {
  readonly block: AnswerBlock
  readonly answer: string
  readonly actor: string
  readonly footnotes: readonly Footnote[]
  readonly running: boolean
}

function Block({ block, answer, actor, footnotes, running }: BlockProps) {
  switch (block.kind) {
    case 'text':
      return <TextView part={block.part} />
    case 'thinking':
      return <Thinking parts={block.parts} />
    case 'peer':
      return <PeerWords peer={block.peer} parts={block.parts} running={running} />
    case 'progress':
      return <ProgressView part={block.part} />
    case 'data':
      return <DataView part={block.part} answer={answer} notes={numbersFor(block.part, footnotes)} />
    case 'surface':
      return <SurfaceView part={block.part} actor={actor} />
    case 'approval':
      return <ApprovalRecord part={block.part} />
    case 'artifacts':
      return (
        <div class="artifacts">
          {block.parts.map((part) => (
            <ArtifactCard key={part.partId} part={part} />
          ))}
        </div>
      )
  }
}

function stateWords(turnState: string | undefined): { readonly words?: string } {
  return turnState === 'delegated' ? { words: 'Asking another agent' } : {}
}
