import { cleaned, writes, type Logger } from '../logger.ts'
import type { Runtime } from '../runtime.ts'
import type { DeclaredSecrets } from './declared-secrets.ts'

/** The runtime of an agent with secrets, which its log leaves out. */
export function withoutSecrets(runtime: Runtime, secrets: DeclaredSecrets): Runtime {
  const { clock, logger, telemetry } = runtime
  const quiet = { level: logger.level, log: logOf(logger, secrets) }
  return {
    clock,
    logger: quiet,
    telemetry,
    secrets,
    id: (prefix) => runtime.id(prefix),
    random: () => runtime.random(),
  }
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
