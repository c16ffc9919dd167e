import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from './api.ts'
import { shortTime, when } from './format.ts'
import { Icon } from './icon.tsx'
import { useShown } from './use-shown.ts'

const tones: Readonly<Record<string, string>> = {
  complete: 'good',
  passed: 'good',
  ok: 'good',
  sent: 'good',
  granted: 'good',
  committed: 'good',
  running: 'busy',
  waiting: 'busy',
  awaiting: 'busy',
  retried: 'busy',
  suspended: 'warn',
  clarifying: 'warn',
  unknown: 'warn',
  failed: 'bad',
  error: 'bad',
  dead: 'bad',
  denied: 'bad',
  expired: 'bad',
  refused: 'bad',
  same: 'good',
  changed: 'warn',
  added: 'busy',
  removed: 'bad',
}

export function Badge({ state }: { readonly state: string }) {
  return <span class={`badge ${tones[state.split(' ')[0] ?? ''] ?? 'plain'}`}>{state}</span>
}

export function Problem({ error }: { readonly error: ApiError | undefined }) {
  return error === undefined ? null : (
    <p class="problem" role="alert">
      {error.message}
    </p>
  )
}

/** A moment, short; in full where it is pointed at. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={when(at)}>
      {shortTime(at)}
    </time>
  )
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/** What reads one more page of a list, where there is one. */
export function More({ label, more }: { readonly label: string; readonly more: (() => void) | undefined }) {
  return more === undefined ? null : (
    <p>
      <button type="button" onClick={more}>
        {label}
      </button>
    </p>
  )
}

/** A value of JSON, folded below the first levels. */
export function Json({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
}) {
  const [isOpen, setOpen] = useState(depth < 2)
  const label = name === undefined ? null : <span class="jname">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return (
      <div class="jline">
        {label}
        <span class={`j${typeof value}`}>{text}</span>
      </div>
    )
  }
  const entries = Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0)
    return (
      <div class="jline">
        {label}
        {Array.isArray(value) ? '[]' : '{}'}
      </div>
    )
  if (depth === 0 && name === undefined) {
    return (
      <div class="json">
        {entries.map(([key, item]) => (
          <Json key={key} name={key} value={item} depth={1} />
        ))}
      </div>
    )
  }
  return (
    <div class="jnode">
      <button type="button" class="jfold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'next'} /> {name ?? ''} <span class="muted">{size}</span>
      </button>
      {isOpen && (
        <div class="jinside">
          {entries.map(([key, item]) => (
            <Json key={key} name={key} value={item} depth={depth + 1} />
          ))}
        </div>
      )}
    </div>
  )
}

interface TabsProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly href: (name: Name) => string
}

/** Tabs whose choice is in the address. */
export function Tabs<Name extends string>({ label, names, chosen, href }: TabsProps<Name>) {
  const row = useShown<HTMLDivElement>(chosen)
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length]
    if (step === 0 || next === undefined) return
    location.hash = href(next)
    const { parentElement } = event.currentTarget as HTMLElement
    queueMicrotask(() => parentElement?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={row}>
      {names.map((name) => (
        <a
          key={name}
          role="tab"
          data-tab={name}
          href={href(name)}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onKeyDown={move}
        >
          {name}
        </a>
      ))}
    </div>
  )
}

/** A button for what cannot be undone: the second press does it. */
export function Confirm({ label, onConfirm }: { readonly label: string; readonly onConfirm: () => void }) {
  const [isArmed, setArmed] = useState(false)
  return (
    <button
      type="button"
      class={isArmed ? 'danger' : ''}
      onBlur={() => setArmed(false)}
      onClick={() => (isArmed ? onConfirm() : setArmed(true))}
    >
      {isArmed ? `${label}: press again` : label}
    </button>
  )
}
