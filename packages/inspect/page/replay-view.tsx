import { useState } from 'preact/hooks'
import type { Difference, ReplayReport, TurnDifference } from '@cool-ai/beach-core/ports'
import { act, type ApiError } from './api.ts'
import { Badge, Json, Problem } from './bits.tsx'
import { cost, count, counted } from './format.ts'
import type { Me, Part } from './types.ts'

type How = 'recorded' | 'model' | 'instructions'

interface ReplayProps {
  readonly place: string
  readonly me: Me
  /** The turn to begin with; the first one when left out. */
  readonly from?: string | undefined
}

/** Runs the session again, and shows what is different. */
export function ReplayView({ place, me, from }: ReplayProps) {
  const [how, setHow] = useState<How>('recorded')
  const [model, setModel] = useState(me.models[0] ?? '')
  const [instructions, setInstructions] = useState('')
  const [actor, setActor] = useState(me.modelActors[0] ?? '')
  const [onlyOne, setOnlyOne] = useState(from !== undefined)
  const [report, setReport] = useState<ReplayReport>()
  const [error, setError] = useState<ApiError>()
  const [isRunning, setRunning] = useState(false)
  const run = (event: Event) => {
    event.preventDefault()
    setError(undefined)
    setReport(undefined)
    setRunning(true)
    const changes = how === 'model' ? { model, actor } : how === 'instructions' ? { instructions, actor } : {}
    const turns = onlyOne && from !== undefined ? { turns: 1 } : {}
    act<ReplayReport>(`api/${place}/replay`, { ...(from !== undefined && { from }), ...turns, ...changes })
      .then(setReport, setError)
      .finally(() => setRunning(false))
  }
  return (
    <div class="replay">
      <form class="replay-form" onSubmit={run}>
        <p class="muted">
          {from === undefined ? 'The whole session' : <span class="mono">From {from} on</span>} runs again in memory.
          Tools answer from the record; nothing is sent.{' '}
          {from !== undefined && <a href={`#/${place}/replay`}>Replay the whole session</a>}
        </p>
        <fieldset>
          <legend>Answers</legend>
          <Choice name="recorded" label="As recorded" chosen={how} onChoose={setHow} />
          {me.models.length > 0 && <Choice name="model" label="Of another model" chosen={how} onChoose={setHow} />}
          {me.modelActors.length > 0 && (
            <Choice name="instructions" label="With other instructions" chosen={how} onChoose={setHow} />
          )}
        </fieldset>
        {how === 'model' && <Select label="Model" values={me.models} value={model} onChange={setModel} />}
        {how !== 'recorded' && <Select label="Actor" values={me.modelActors} value={actor} onChange={setActor} />}
        {how === 'instructions' && (
          <label class="wide">
            Instructions
            <textarea
              rows={6}
              required
              value={instructions}
              onInput={(event) => setInstructions(event.currentTarget.value)}
            />
          </label>
        )}
        {from !== undefined && (
          <label>
            <input type="checkbox" checked={onlyOne} onChange={(event) => setOnlyOne(event.currentTarget.checked)} />{' '}
            This turn only
          </label>
        )}
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Running…' : 'Replay'}
        </button>
      </form>
      <Problem error={error} />
      <div aria-live="polite">{report !== undefined && <Report report={report} />}</div>
    </div>
  )
}

interface ChoiceProps {
  readonly name: How
  readonly label: string
  readonly chosen: How
  readonly onChoose: (how: How) => void
}

function Choice({ name, label, chosen, onChoose }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name="how" checked={chosen === name} onChange={() => onChoose(name)} /> {label}
    </label>
  )
}

interface SelectProps {
  readonly label: string
  readonly values: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

function Select({ label, values, value, onChange }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

function Report({ report: { same, turns, events, problems } }: { readonly report: ReplayReport }) {
  const changed = turns.filter(({ change }) => change !== 'same').length
  return (
    <>
      <p class={`verdict ${same ? 'same' : 'different'}`} role="status">
        {same
          ? `The same log again: ${counted(turns.length, 'turn')}, ${counted(events.recorded, 'event')}.`
          : `Different: ${changed} of ${counted(turns.length, 'turn')}.`}
      </p>
      {turns.map((turn) => (
        <Turn key={turn.turnId} turn={turn} isOpen={turn.change !== 'same'} />
      ))}
      {problems.length > 0 && (
        <details>
          <summary>{counted(problems.length, 'warning or error', 'warnings and errors')} logged meanwhile</summary>
          <Json value={problems} />
        </details>
      )}
    </>
  )
}

function Turn({ turn, isOpen }: { readonly turn: TurnDifference; readonly isOpen: boolean }) {
  const { recorded, replayed } = turn.usage
  return (
    <details class="turn-difference" open={isOpen}>
      <summary>
        <Badge state={turn.change} /> <span class="ttitle">{turn.asked}</span>
      </summary>
      {turn.notRecorded.map((lack, index) => (
        <div class="not-recorded" key={index}>
          <strong>Not recorded:</strong> {lack.kind} {lack.name}{' '}
          {lack.args === undefined ? '' : JSON.stringify(lack.args)}
        </div>
      ))}
      <div class="compared" aria-hidden="true">
        <h2 class="minor">Recorded</h2>
        <h2 class="minor">Replay</h2>
      </div>
      {turn.tools.map((tool, index) => (
        <Row key={`t${index}`} kind="tool" difference={tool}>
          {({ name, args, outcome, value }) => (
            <>
              <Badge state={outcome} /> <strong>{name}</strong>
              <Json value={value === undefined ? { args } : { args, value }} />
            </>
          )}
        </Row>
      ))}
      {turn.states.map((state, index) => (
        <Row key={`s${index}`} kind="state" difference={state}>
          {(text) => <span class="mono">{text}</span>}
        </Row>
      ))}
      {turn.parts.map((part, index) => (
        <Row
          key={`p${index}`}
          kind={part.recorded?.metadata.partType ?? part.replayed?.metadata.partType ?? ''}
          difference={part}
        >
          {(value) => <PartOf part={value} />}
        </Row>
      ))}
      {turn.end.change !== 'same' && (
        <Row kind="end" difference={turn.end}>
          {({ turnState, finalizedBy }) => <Badge state={finalizedBy ?? turnState} />}
        </Row>
      )}
      <p class="facts muted">
        {counted(recorded.calls, 'model call')} → {replayed.calls} ·{' '}
        {count(recorded.inputTokens + recorded.outputTokens)} → {count(replayed.inputTokens + replayed.outputTokens)}{' '}
        tokens
        {recorded.cost === undefined && replayed.cost === undefined
          ? ''
          : ` · cost ${cost(recorded.cost ?? 0)} → ${cost(replayed.cost ?? 0)}`}
        {turn.prompt === 'unknown' ? '' : ` · prompts ${turn.prompt}`}
        {turn.others.length > 0 ? ` · also different: ${turn.others.join(', ')}` : ''}
      </p>
    </details>
  )
}

interface RowProps<Thing> {
  readonly kind: string
  readonly difference: Difference<Thing>
  readonly children: (thing: Thing) => preact.ComponentChildren
}

/** Both sides; one of them is empty for what only the other has. */
function Row<Thing>({ kind, difference, children }: RowProps<Thing>) {
  const { change, recorded, replayed, text } = difference
  const only = (place: 'recorded' | 'replayed') => {
    return text?.map((piece, index) => {
      if (piece.in !== 'both' && piece.in !== place) return null
      if (piece.in === 'both') return <span key={index}>{piece.text}</span>
      return place === 'recorded' ? <del key={index}>{piece.text}</del> : <ins key={index}>{piece.text}</ins>
    })
  }
  return (
    <section class={`difference ${change}`} aria-label={`${kind}, ${change}`}>
      <p class="kind">
        {kind} {change !== 'same' && <Badge state={change} />}
      </p>
      <div class="compared">
        <div class="side">
          {text ? <div class="words">{only('recorded')}</div> : recorded !== undefined && children(recorded)}
        </div>
        <div class="side">
          {text ? <div class="words">{only('replayed')}</div> : replayed !== undefined && children(replayed)}
        </div>
      </div>
    </section>
  )
}

function PartOf({ part }: { readonly part: Part }) {
  return part.text === undefined ? <Json value={part.data} /> : <div class="words">{part.text}</div>
}
