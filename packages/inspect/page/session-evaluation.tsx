import { useEffect, useState } from 'preact/hooks'
import { askText, type ApiError } from './api.ts'
import { Problem } from './bits.tsx'

/** A session as an evaluation, to be copied or saved. */
export function SessionEvaluation({ place, onClose }: { readonly place: string; readonly onClose: () => void }) {
  const [yaml, setYaml] = useState<string>()
  const [error, setError] = useState<ApiError>()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    askText(`${place}/evaluation`).then(setYaml, setError)
  }, [place])
  return (
    <section class="made" aria-label="Evaluation of this session">
      <Problem error={error} />
      {yaml !== undefined && (
        <>
          <p class="muted">
            It says what was said here and expects what happened; tools give the results that they gave. Save it below{' '}
            <code>evaluations</code> and run <code>beach eval</code>.
          </p>
          <textarea readOnly rows={16} aria-label="The evaluation in YAML" value={yaml} spellcheck={false} />
        </>
      )}
      <div class="actions">
        {yaml !== undefined && (
          <>
            <button type="button" onClick={() => void navigator.clipboard.writeText(yaml).then(() => setCopied(true))}>
              {isCopied ? 'Copied' : 'Copy'}
            </button>
            <a
              class="button"
              href={`data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`}
              download="session.yaml"
            >
              Download
            </a>
          </>
        )}
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  )
}
