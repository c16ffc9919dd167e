/** The version of the Agent Card's schema, and of the Beach extension, that this package writes. */
export const cardVersion = '1.0'

/** A version of numbers, such as `1.0`. */
export const versionPattern: RegExp = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){0,2}$/

/** A version of the A2A protocol, which has two numbers. */
export const a2aVersionPattern: RegExp = /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** A semantic version, as semver.org has it. */
export const semverPattern: RegExp =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

/** Whether what this version says can be understood here: of the same major version, whatever its minor one. */
export function isReadableVersion(version: string): boolean {
  return version.split('.')[0] === cardVersion.split('.')[0]
}
