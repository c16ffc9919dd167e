import { visibleText, type StreamPart } from '@cool-ai/beach-client'
import { useState } from 'preact/hooks'
import { ArtifactPreview } from './artifact-preview.tsx'
import { Icon, type IconName } from './icon.tsx'
import { OutLink } from './out-link.tsx'
import { fields, fileSize, finite, ownFile, safeLink, text } from '@cool-ai/beach-client/view'
import { previewKind } from './scene/preview.ts'

/** A file to download. Those of this agent are shown before, as far as that is safe. */
export function ArtifactCard({ part }: { readonly part: StreamPart }) {
  const given = fields(part.data)
  const name = visibleText(text(given.name) ?? nameIn(text(given.url)) ?? 'File')
  const mimeType = text(given.mimeType) ?? ''
  const size = finite(given.sizeBytes)
  const file = ownFile(given.url, location.href)
  const kind = file === undefined ? undefined : previewKind(mimeType)
  const [shown, setShown] = useState(kind === 'image')
  return (
    <figure class="part artifact card">
      <div class="file">
        <Icon name={iconFor(mimeType)} />
        <figcaption class="name">
          <b>{name}</b>
          <span class="minor">
            {[shortType(name, mimeType), size !== undefined && fileSize(size)].filter(Boolean).join(' · ')}
          </span>
        </figcaption>
        {kind !== undefined && (
          <button
            class="icon-button"
            type="button"
            aria-expanded={shown}
            aria-label={`Preview of ${name}`}
            title="Preview"
            onClick={() => setShown(!shown)}
          >
            <Icon name="eye" />
          </button>
        )}
        {file === undefined ? (
          <OutLink url={text(given.url)}>Open</OutLink>
        ) : (
          <a class="icon-button" href={file.href} download={name} aria-label={`Download ${name}`} title="Download">
            <Icon name="download" />
          </a>
        )}
      </div>
      {shown && file !== undefined && kind !== undefined && (
        <ArtifactPreview file={file.href} kind={kind} mimeType={mimeType} name={name} />
      )}
    </figure>
  )
}

/** The name of a file that is known by its address only. */
function nameIn(url: string | undefined): string | undefined {
  const segment = safeLink(url, location.href)?.pathname.split('/').at(-1)
  try {
    return segment === undefined || segment === '' ? undefined : decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function iconFor(mimeType: string): IconName {
  if (mimeType.startsWith('image/')) return 'picture'
  return mimeType.startsWith('text/calendar') ? 'calendar' : 'file'
}

/** What kind of file it is, as people call it. */
function shortType(name: string, mimeType: string): string {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]
  return (ending ?? mimeType.split(/[;/]/)[1] ?? '').toUpperCase()
}
