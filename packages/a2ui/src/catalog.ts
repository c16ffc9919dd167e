// The words of A2UI's Basic Catalog, for the builder's types and for the validator.

export const textVariants = ['h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body'] as const
export const imageFits = ['contain', 'cover', 'fill', 'none', 'scaleDown'] as const
export const imageVariants = ['icon', 'avatar', 'smallFeature', 'mediumFeature', 'largeFeature', 'header'] as const
export const justifications = [
  'start',
  'center',
  'end',
  'spaceBetween',
  'spaceAround',
  'spaceEvenly',
  'stretch',
] as const
export const alignments = ['start', 'center', 'end', 'stretch'] as const
export const directions = ['vertical', 'horizontal'] as const
export const axes = ['horizontal', 'vertical'] as const
export const buttonVariants = ['default', 'primary', 'borderless'] as const
export const textFieldVariants = ['shortText', 'longText', 'number', 'obscured'] as const
export const choiceVariants = ['mutuallyExclusive', 'multipleSelection'] as const
export const choiceDisplayStyles = ['checkbox', 'chips'] as const

export const iconNames = [
  'accountCircle',
  'add',
  'arrowBack',
  'arrowForward',
  'attachFile',
  'calendarToday',
  'call',
  'camera',
  'check',
  'close',
  'delete',
  'download',
  'edit',
  'event',
  'error',
  'fastForward',
  'favorite',
  'favoriteOff',
  'folder',
  'help',
  'home',
  'info',
  'locationOn',
  'lock',
  'lockOpen',
  'mail',
  'menu',
  'moreVert',
  'moreHoriz',
  'notificationsOff',
  'notifications',
  'pause',
  'payment',
  'person',
  'phone',
  'photo',
  'play',
  'print',
  'refresh',
  'rewind',
  'search',
  'send',
  'settings',
  'share',
  'shoppingCart',
  'skipNext',
  'skipPrevious',
  'star',
  'starHalf',
  'starOff',
  'stop',
  'upload',
  'visibility',
  'visibilityOff',
  'volumeDown',
  'volumeMute',
  'volumeOff',
  'volumeUp',
  'warning',
] as const

/** The name of an icon of the Basic Catalog. */
export type IconName = (typeof iconNames)[number]
