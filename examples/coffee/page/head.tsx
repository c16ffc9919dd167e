/** @jsxImportSource react */
import type { Connection } from '@cool-ai/beach-client'
import { applyTheme, storedTheme, type Theme } from '@cool-ai/beach-page/page/theme'
import { useState } from 'react'
import { Glyph } from './glyph.tsx'

interface HeadProps {
  readonly connection?: Connection
  readonly onDevice?: () => void
  readonly onFresh?: () => void
}

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const words: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' }

/** Whose page it is, and whether the shop can be reached. */
export function Head({ connection, onDevice, onFresh }: HeadProps) {
  const [theme, setTheme] = useState(storedTheme)
  const state = connection?.state ?? 'connecting'
  return (
    <header className="head">
      <Glyph name="cup" />
      <h1>Example Coffee</h1>
      <span id="connection" className={state === 'open' ? 'online' : ''} role="status">
        {state === 'open' ? 'Open' : 'Connecting…'}
      </span>
      <span className="spring" />
      <a className="button small home" href="/" aria-label="Beach">
        <Glyph name="back" />
        <span>Beach</span>
      </a>
      {onFresh && (
        <button
          className="icon-button"
          type="button"
          aria-label="New conversation"
          title="New conversation"
          onClick={onFresh}
        >
          <Glyph name="plus" />
        </button>
      )}
      {onDevice && (
        <button
          className="icon-button"
          type="button"
          aria-label="Continue on another device"
          title="Continue on another device"
          onClick={onDevice}
        >
          <Glyph name="phone" />
        </button>
      )}
      <button
        className="icon-button"
        type="button"
        aria-label={`Colours: ${words[theme]}`}
        title={`Colours: ${words[theme]}`}
        onClick={() => {
          applyTheme(next[theme])
          setTheme(next[theme])
        }}
      >
        <Glyph name="theme" />
      </button>
    </header>
  )
}
