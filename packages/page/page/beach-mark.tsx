const source = new URL('./icon.svg', import.meta.url).href

/** The sign of Beach. */
export function BeachMark() {
  return <img src={source} alt="" />
}
