import type { Limits } from '../../limits.ts'

/** Bounds on examples; taken from the table of limits. */
export interface IntakeBounds {
  /** Bytes of the canonical JSON of input and output of one example together. */
  readonly exampleBytes: number
  readonly maxRows: number
  readonly jsonDepth: number
  /** Inputs without an output. */
  readonly maxUnlabelled: number
}

/** The bounds of inline examples. */
export function inlineBounds(limits: Limits): IntakeBounds {
  return boundsFor(limits, limits.inline_examples)
}

/** The bounds of an uploaded file. */
export function uploadBounds(limits: Limits): IntakeBounds {
  return boundsFor(limits, limits.upload_rows)
}

function boundsFor(limits: Limits, maxRows: number): IntakeBounds {
  return {
    exampleBytes: limits.example_bytes,
    maxRows,
    jsonDepth: limits.json_depth,
    maxUnlabelled: limits.unlabelled_inputs,
  }
}
