import { cleaned, writes, type Logger } from '../logger.ts'
import { runtimeWith, type Runtime } from '../runtime.ts'
import type { DeclaredSecrets } from './declared-secrets.ts'

/** The runtime of an agent with secrets, which its log leaves out. */
export function withoutSecrets(runtime: Runtime, secrets: DeclaredSecrets): Runtime {
  if (secrets.isEmpty) return runtime
  const { logger } = runtime
  return runtimeWith(runtime, { secrets, logger: { level: logger.level, log: logOf(logger, secrets) } })
}

function logOf(logger: Logger, secrets: DeclaredSecrets): Logger['log'] {
  return (level, message, fields = {}) => {
    if (logger.level !== undefined && !writes(logger, level)) return
    let hasSecret = false
    const without = cleaned(fields, (text) => {
      const rest = secrets.text(text)
      hasSecret ||= rest !== text
      return rest
    })
    // An application's own logger gets errors as they are, unless there is a secret in one.
    logger.log(level, secrets.text(message), hasSecret ? without : fields)
  }
}
