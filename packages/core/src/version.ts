/** The version of Beach: all packages have the same. */
export const beachVersion = '0.6.0'
