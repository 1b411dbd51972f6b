import { DEFAULT_CACHE_DIR, findTemporalBinary } from '../../../stack/temporal/binary.ts'

/**
 * Fetches the Temporal CLI where this machine lacks it. Returns the seconds that it took. Throws `StackError` `no_temporal` when no way leads to one.
 */
export async function fetchTemporal(): Promise<number> {
  const startedMs = performance.now()
  const log = (line: string) => process.stderr.write(`[stack] ${line}\n`)
  await findTemporalBinary({ searchPath: process.env['PATH'] ?? '', cacheDir: DEFAULT_CACHE_DIR, canFetch: true, log })
  return (performance.now() - startedMs) / 1000
}
