/** Keys by which the processes of an agent know of runs of AG-UI that clients follow. */
export const openRunPrefix = 'agui-open:'
