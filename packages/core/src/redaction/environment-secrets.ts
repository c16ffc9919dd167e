const secretName = /SECRET|TOKEN|PASSWORD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|ENCRYPTION_KEYS/
const minLength = 12

/**
 * The secrets of an environment: values, and each of a list, of variables whose names say that they are secret, and the
 * passwords of addresses.
 */
export function secretsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const password = /^\w+:\/\/[^\s/@:]*:([^\s/@]+)@/.exec(value)?.[1]
    const list = value.split(/[\s,]+/)
    // A key of encryption may have its name before it, and the name its tenant.
    const named = secretName.test(name.toUpperCase()) ? [value, ...list, ...list.map(withoutName)] : []
    return [...named, ...(password === undefined ? [] : [password])].filter(({ length }) => length >= minLength)
  })
}

function withoutName(entry: string): string {
  return /^(?:[^/:]+\/)?[\w.-]+:([^/].*)$/.exec(entry)?.[1] ?? entry
}
