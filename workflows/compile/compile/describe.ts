import type {
  AdapterSummary,
  BundleSummary,
  SampleSummary,
  VerdictSummary,
} from '../../../activities/compile/compile/results.ts'

/** Describes the result of the search for people. */
export function describeSample({ candidates, kinds, trainRows }: SampleSummary): string {
  return `${candidates} candidates (${kinds.join(', ') || 'no kind applies'}) from ${trainRows} rows`
}

/** Describes a verdict for people: the rows that fail. */
export function describeFailing({ failingRows }: VerdictSummary): string {
  return failingRows === 0 ? 'no row fails' : `${failingRows} rows fail`
}

/** Describes what came of the adapter for people. */
export function describeAdapter({ status, code, verdict, steps }: AdapterSummary): string {
  const why = code?.replaceAll('_', ' ') ?? ''
  if (status === 'fitted') return `adapter fitted in ${steps} steps, ${verdict.kind === 'lora' ? 'chosen' : 'beaten'}`
  return `adapter ${status}: ${why}`
}

/** Describes the archive for people. */
export function describeBundle({ members, sizeBytes, cid }: BundleSummary): string {
  return `${members} content members, ${sizeBytes} bytes, \`${cid}\``
}
