import { jsonLines } from './scene/channel-previews.ts'

/** JSON to read, with what is for models in a colour of its own. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <pre class="json" tabIndex={0} role="group" aria-label={label}>
      {jsonLines(value).map(({ text, isForModels }, index) =>
        isForModels ? <mark key={index}>{`${text}\n`}</mark> : `${text}\n`,
      )}
    </pre>
  )
}
