const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * True for the paths by which balancers and supervisors ask how a process is: answered under any host name, since they
 * know it by its address, however many ask, and while it stops.
 */
export function isProbe(path: string): boolean {
  return probes.has(path)
}
