import type { Allowlist } from './allowlist.ts'
import type { CopyrightHit } from './hit.ts'
import { scanCopyright, suggestsQuarantine, type CopyrightScan } from './scan.ts'

/** Findings of the heuristic in a capture. */
export interface CaptureScan {
  readonly input: CopyrightScan
  readonly output: CopyrightScan
  /** The higher one of the two. */
  readonly risk: number
  readonly hits: readonly CopyrightHit[]
  readonly isFlagged: boolean
}

/** Scans both sides of a capture. */
export function scanCapture(
  { prompt, response }: { readonly prompt: string; readonly response: string },
  allowlist: Allowlist,
): CaptureScan {
  const input = scanCopyright(prompt, allowlist, 'input')
  const output = scanCopyright(response, allowlist, 'output')
  const risk = Math.max(input.risk, output.risk)
  return { input, output, risk, hits: [...input.hits, ...output.hits], isFlagged: suggestsQuarantine(risk) }
}
