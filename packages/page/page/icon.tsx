const shapes = {
  menu: 'M4 7h16M4 12h16M4 17h10',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M5 5h14v14H5z',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  basket: 'M5 9h14l-1.2 9.2a2 2 0 0 1-2 1.800H8.200a2 2 0 0 1-2-1.800zM9 9l2-5M15 9l-2-5',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  check: 'M5 13l4.500 4.500L19 8',
  cross: 'M7 7l10 10M17 7L7 17',
  clock: 'M12 8v4l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  alert: 'M12 8v5M12 16.500v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  retry: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4',
  device: 'M8 3h8v18H8zM11 18h2',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  keyboard: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v4M15 3v4',
  picture: 'M4 5h16v14H4zM8 10h.01M4 17l5-5 4 4 3-3 4 4',
  plane: 'M3 11l18-7-7 17-3-7z M21 4L11 14',
  bed: 'M4 18V7M4 14h16v4M20 14v-2a3 3 0 0 0-3-3h-7v5M7 11h.01',
  ship: 'M4 14h16l-2 5H6zM6 14V9h12v5M12 9V4',
  pin: 'M12 21s6-6.200 6-11a6 6 0 1 0-12 0c0 4.800 6 11 6 11zM12 8.500v.01',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
  channels: 'M4 5h4v14H4zM10 5h4v14h-4zM16 5h4v14h-4z',
  chat: 'M5 5h14v11h-8l-4 4v-4H5z',
  hash: 'M9 4L7 20M17 4l-2 16M4 9h16M4 15h16',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20a7 7 0 0 1 14 0',
  eye: 'M3 12s3.500-6 9-6 9 6 9 6-3.500 6-9 6-9-6-9-6zM12 10.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z',
} as const

export type IconName = keyof typeof shapes

/** A picture next to words that say the same: hidden from assistive technology. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  )
}
