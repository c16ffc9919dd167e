declare module 'hoodiecrow-imap' {
  const hoodiecrow: (options: object) => unknown
  export default hoodiecrow
}
