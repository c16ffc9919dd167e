import { BeachMark } from './beach-mark.tsx'
import { useSurroundings } from './context.ts'
import { focusField } from './focus-field.ts'
import { Icon } from './icon.tsx'
import { asName } from '@cool-ai/beach-client/view'

/** What is seen before anything was said: who this is, and things to begin with. */
export function Welcome() {
  const { about, chat } = useSurroundings()
  return (
    <section class="welcome">
      <BeachMark />
      <h2>{about.name}</h2>
      <p>{about.description ?? 'Say something. The answer comes word by word, and survives a reload and a crash.'}</p>
      {about.suggestions.length > 0 && (
        <ul class="suggestions" aria-label="Suggestions">
          {about.suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                onClick={() => {
                  chat.send(asName(suggestion))
                  focusField()
                }}
              >
                {asName(suggestion)}
                <Icon name="right" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
