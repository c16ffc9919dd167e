import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { applyTheme, storedTheme, type Theme } from './theme.ts'

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const words: Readonly<Record<Theme, string>> = {
  system: 'Colours: as the system',
  light: 'Colours: light',
  dark: 'Colours: dark',
}

/** Changes between the system's colours, light and dark. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme)
  return (
    <div class="entry">
      <button
        class="row"
        type="button"
        onClick={() => {
          applyTheme(next[theme])
          setTheme(next[theme])
        }}
      >
        <Icon name="theme" />
        {words[theme]}
      </button>
    </div>
  )
}
