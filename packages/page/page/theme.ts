export type Theme = 'system' | 'light' | 'dark'

const key = 'beach.theme'

/** The colours that the user has chosen; those of the system otherwise. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

/** Shows the page in these colours, from now on and the next time. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(key)
  } else {
    document.documentElement.dataset.theme = theme
    localStorage.setItem(key, theme)
  }
}
