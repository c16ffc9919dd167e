// Plain JavaScript on purpose: it must run on the Node that is too old for everything else.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Beach needs Node 22.18 or later; this is ${process.versions.node}. ` +
      'Run it through npm (`npm ci`, then `npm start`), which brings its own Node on Linux, Windows and macOS, ' +
      'or install a newer Node.',
  )
  process.exit(1)
}
