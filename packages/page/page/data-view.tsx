import type { StreamPart } from '@cool-ai/beach-client'
import { OwnDataContext, useSurroundings } from './context.ts'
import { DataTable } from './data-table.tsx'
import type { DataForm, PageExtension } from './extension.ts'
import { NoteMarks } from './footnotes.tsx'
import { peerName, peerOf } from '@cool-ai/beach-client/view'

interface DataViewProps {
  readonly part: StreamPart
  readonly answer: string
  readonly notes: readonly number[]
}

/** Data in the form that its kind has here; a table for whatever has none, or is not what its kind says. */
export function DataView({ part, answer, notes }: DataViewProps) {
  const { about, extension } = useSurroundings()
  const { kind = 'data' } = part.metadata
  const form = formOf(extension, kind)
  const peer = peerOf(part)
  const marks = <NoteMarks answer={answer} notes={notes} />
  return (
    <div class={`part domain-data ${form === undefined ? 'other' : kind}`}>
      {peer !== undefined && <p class="from">From {peerName(peer, about.peers ?? {})}</p>}
      <OwnDataContext.Provider value={peer === undefined}>
        {form?.(part.data, marks) ?? (
          <>
            <DataTable data={part.data} />
            {marks}
          </>
        )}
      </OwnDataContext.Provider>
    </div>
  )
}

/** The form of a kind that the page has one for. */
function formOf({ forms = {} }: PageExtension, kind: string): DataForm | undefined {
  return Object.hasOwn(forms, kind) ? forms[kind] : undefined
}
