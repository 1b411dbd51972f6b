import type { Limits } from '../../tenancy/limits.ts'

/** Bounds on examples; taken from the table of limits. */
export interface IntakeBounds {
  /** Bytes of the canonical JSON of input and output of one example together. */
  readonly exampleBytes: number
  readonly maxRows: number
  readonly jsonDepth: number
}

/** The bounds of inline examples. */
export function inlineBounds(limits: Limits): IntakeBounds {
  return { exampleBytes: limits.example_bytes, maxRows: limits.inline_examples, jsonDepth: limits.json_depth }
}

/** The bounds of an uploaded file. */
export function uploadBounds(limits: Limits): IntakeBounds {
  return { exampleBytes: limits.example_bytes, maxRows: limits.upload_rows, jsonDepth: limits.json_depth }
}
