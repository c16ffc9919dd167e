import { registerA2ui } from '@cool-ai/beach-a2ui'
import { partTypes } from '@cool-ai/beach-core'
// It adds the parts that A2UI is for.
import '@cool-ai/beach-protocol'

// As every agent does when it starts, for all in its process.
registerA2ui(partTypes)
