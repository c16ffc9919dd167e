import type { Destination } from '../destination.ts'
import { athens } from './athens.ts'
import { barcelona } from './barcelona.ts'
import { corfu } from './corfu.ts'
import { dubrovnik } from './dubrovnik.ts'
import { lisbon } from './lisbon.ts'
import { reykjavik } from './reykjavik.ts'
import { rome } from './rome.ts'
import { tenerife } from './tenerife.ts'

/** Where journeys go. */
export const destinations: readonly Destination[] = [
  corfu,
  rome,
  lisbon,
  barcelona,
  athens,
  dubrovnik,
  reykjavik,
  tenerife,
]
