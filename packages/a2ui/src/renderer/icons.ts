/** An icon of 24 by 24, as lines to be drawn; `solid` ones are filled. */
export interface IconShape {
  readonly path: string
  readonly solid?: true
}

const heart =
  'M12 20s-7.5-4.6-9-9.3C1.8 7.2 4 4.5 7 4.5c2 0 3.8 1.100 5 3 1.200-1.900 3-3 5-3 3 0 5.200 2.700 4 6.200C19.500 15.400 12 20 12 20z'
const star =
  'M12 3.200l2.700 5.700 6.200.8-4.500 4.300 1.100 6.200L12 17.200l-5.500 3 1.100-6.200L3.100 9.700l6.200-.8z'
const bell = 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500a2 2 0 0 0 4 0'
const eye =
  'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z'
const speaker = 'M4 9.500h3.500L12 5.500v13l-4.500-4H4z'
const struck = 'M4 4l16 16'
const ring = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z'
const handset =
  'M6 3.500h3l1.500 4.500-2 1.500a11 11 0 0 0 5.500 5.500l1.500-2 4.500 1.500v3c0 1.400-1.100 2.500-2.500 2.500C10.500 20 4 13.500 3.500 6 3.500 4.600 4.600 3.500 6 3.500z'
const calendar = 'M4 6.500h16v13.500H4zM4 10.500h16M8 3.500v4M16 3.500v4'
const head = 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z'
const padlock = 'M5.500 11h13v9.500h-13z'

const shapes: Readonly<Record<string, IconShape | string>> = {
  accountCircle: `${ring}M12 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM6.500 18.500c1-2.300 3-3.500 5.500-3.500s4.500 1.200 5.500 3.500`,
  add: 'M12 5v14M5 12h14',
  arrowBack: 'M20 12H4.500M11 5l-7 7 7 7',
  arrowDownward: 'M12 4v15.500M5 13l7 7 7-7',
  arrowForward: 'M4 12h15.500M13 5l7 7-7 7',
  arrowUpward: 'M12 20V4.500M5 11l7-7 7 7',
  attachFile: 'M17.500 8v8.500a5.500 5.500 0 0 1-11 0V7a3.700 3.700 0 0 1 7.500 0v9a2 2 0 0 1-4 0V8',
  calendarToday: `${calendar}M8 14h3v3H8z`,
  call: handset,
  camera: 'M3.500 7.500h4L9.500 5h5l2 2.500h4V19h-17zM12 9.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z',
  check: 'M4.500 12.500l5 5 10-11',
  close: 'M6 6l12 12M18 6L6 18',
  delete: 'M4.500 7h15M9 7V4.500h6V7M6.500 7l1 13h9l1-13M10 11v5.500M14 11v5.500',
  directionsRun:
    'M14.500 3.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zM7 10.500l3-2.500 4 1-2.500 5.500 3 2.500-.5 4.500M14 9l2 3h3M11 15l-1.500 3H5.500',
  download: 'M12 4v11M7 10.500l5 5 5-5M4.500 20h15',
  edit: 'M4.500 19.500l1-4.500L16 4.500 19.500 8 9 18.500zM13.500 7l3.500 3.500',
  event: `${calendar}M13 14h3v3h-3z`,
  error: `${ring}M12 7.500v5.500M12 16.500v.1`,
  fastForward: { path: 'M4 6l7.500 6L4 18zM12.500 6l7.500 6-7.500 6z', solid: true },
  favorite: { path: heart, solid: true },
  favoriteOff: heart,
  folder: 'M3.500 6h6l2 2.500h9V19h-17z',
  help: `${ring}M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 16.700v.1`,
  home: 'M4 11l8-7 8 7v9h-5.500v-6h-5v6H4z',
  info: `${ring}M12 11v5.500M12 7.500v.1`,
  locationOn:
    'M12 21s6.500-6.500 6.500-11.500a6.500 6.500 0 0 0-13 0C5.500 14.500 12 21 12 21zM12 7a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z',
  lock: `${padlock}M8 11V8a4 4 0 0 1 8 0v3M12 14.500v2.500`,
  lockOpen: `${padlock}M8 11V7.500a4 4 0 0 1 7.800-1.200M12 14.500v2.500`,
  mail: 'M3.500 5.500h17v13h-17zM3.500 7l8.500 6 8.500-6',
  menu: 'M4 6.500h16M4 12h16M4 17.500h16',
  moreVert: 'M12 5v.1M12 12v.1M12 19v.1',
  moreHoriz: 'M5 12h.1M12 12h.1M19 12h.1',
  notificationsOff: `${bell}${struck}`,
  notifications: bell,
  pause: { path: 'M6.500 5h3.700v14H6.500zM13.800 5h3.700v14h-3.700z', solid: true },
  payment: 'M3 5.500h18v13H3zM3 9.500h18M6.500 15h4',
  person: `${head}M4.500 20c.7-3.600 3.700-5.500 7.500-5.500s6.800 1.900 7.500 5.500z`,
  phone: handset,
  photo: 'M4 4.500h16v15H4zM4 16l5-5 4 4 2.500-2.500 4.500 4.500M15 8.500v.1',
  play: { path: 'M7.500 4.500l12 7.500-12 7.500z', solid: true },
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  priorityHigh: 'M12 4v10.500M12 19v.1',
  refresh: 'M19.500 12a7.500 7.500 0 1 1-2.300-5.400L20 9M20 4v5h-5',
  rewind: { path: 'M20 6l-7.500 6 7.500 6zM11.500 6L4 12l7.500 6z', solid: true },
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L20.500 20.500',
  send: 'M3.500 12L20.500 4l-5 16.500-4-7zM11.500 13.500L20.500 4',
  settings:
    'M12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
  share:
    'M17.500 3.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM6.500 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM17.500 15.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM8.700 10.800l6.600-3.600M8.700 13.200l6.600 3.600',
  shoppingCart: 'M3 4.500h2.500L8 15.500h10l2-8H6.300M9.500 19v.1M16.500 19v.1',
  skipNext: { path: 'M5 5l10.500 7L5 19zM16.500 5H19v14h-2.500z', solid: true },
  skipPrevious: { path: 'M19 5L8.500 12 19 19zM7.500 5H5v14h2.500z', solid: true },
  star: { path: star, solid: true },
  starHalf: `${star}M12 3.200v14M10.500 8.500v7.500M9 9.500v5.500`,
  starOff: star,
  stop: { path: 'M6 6h12v12H6z', solid: true },
  trendingDown: 'M3.500 7l6 6 4-4 7 7.500M20.500 11v5.500H15',
  trendingUp: 'M3.500 17l6-6 4 4 7-7.500M20.500 13V7.500H15',
  upload: 'M12 16V4.500M7 9.500l5-5 5 5M4.500 20h15',
  visibility: eye,
  visibilityOff: `${eye}${struck}`,
  volumeDown: `${speaker}M15.500 9.500a3.500 3.500 0 0 1 0 5`,
  volumeMute: speaker,
  volumeOff: `${speaker}M15.500 9.500l5 5M20.500 9.500l-5 5`,
  volumeUp: `${speaker}M15.500 9.500a3.500 3.500 0 0 1 0 5M17.800 7a7 7 0 0 1 0 10`,
  warning: 'M12 4L21 19.500H3zM12 10v4.500M12 17v.1',
}

/** The drawing of an icon, by the catalog’s name or by the same name with underscores. */
export function iconShape(name: string): IconShape | undefined {
  const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined
  return typeof shape === 'string' ? { path: shape } : shape
}

/** The name of an icon as people would say it: “skip next”. */
export function iconWords(name: string): string {
  const words = name
    .replaceAll(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
