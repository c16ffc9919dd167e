import { useEffect, useState } from 'preact/hooks'
import { previewOf, type Preview } from './scene/preview.ts'

interface ArtifactPreviewProps {
  readonly file: string
  readonly kind: 'image' | 'text'
  readonly mimeType: string
  readonly name: string
}

const maxBytes = 20_000

/** The beginning of a file, or the picture that it is. */
export function ArtifactPreview({ file, kind, mimeType, name }: ArtifactPreviewProps) {
  return (
    <div class="preview">
      {kind === 'image' ? (
        <img src={file} alt={name} loading="lazy" />
      ) : (
        <TextPreview file={file} mimeType={mimeType} />
      )}
    </div>
  )
}

function TextPreview({ file, mimeType }: Pick<ArtifactPreviewProps, 'file' | 'mimeType'>) {
  const [preview, setPreview] = useState<Preview | 'gone'>()
  useEffect(() => {
    const end = new AbortController()
    beginningOf(file, end.signal).then(
      (text) => setPreview(previewOf(mimeType, text)),
      () => end.signal.aborted || setPreview('gone'),
    )
    return () => end.abort()
  }, [file, mimeType])
  if (preview === undefined) return <p>Loading…</p>
  if (preview === 'gone') return <p>The file cannot be shown. Load the page again for a new link.</p>
  return (
    <>
      <PreviewForm preview={preview} />
      {preview.more && <p class="minor">…</p>}
    </>
  )
}

function PreviewForm({ preview }: { readonly preview: Preview }) {
  switch (preview.kind) {
    case 'text':
      return <pre tabIndex={0}>{preview.text}</pre>
    case 'table':
      return (
        <div class="scroller" tabIndex={0} role="region" aria-label="Table">
          <table>
            <tbody>
              {preview.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case 'events':
      return (
        <ul class="results">
          {preview.events.map(({ summary, start, place }, index) => (
            <li key={index}>
              {summary}
              <p class="minor">{[start, place].filter(Boolean).join(' · ')}</p>
            </li>
          ))}
        </ul>
      )
  }
}

async function beginningOf(file: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(file, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal })
  if (!response.ok) throw new Error(`The file answers ${response.status}.`)
  return response.text()
}
