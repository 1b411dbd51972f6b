import type { AdapterEvidence, AdapterReport } from './adapter-evidence.ts'

const NOTHING: AdapterReport = {
  status: 'skipped',
  code: null,
  reason: null,
  base: null,
  trainer: null,
  steps: 0,
  best_step: 0,
  stopped_early: false,
  loss: null,
  validation_loss: null,
  tokens_per_second: 0,
  training_rows: 0,
  validation_rows: 0,
  teacher_rows: 0,
  truncated_rows: 0,
  truncated: [],
}

/** The evidence of a job for which no adapter was fitted. */
export function skippedAdapter(code: string, reason: string): AdapterEvidence {
  return { report: { ...NOTHING, code, reason }, members: null }
}

/** The evidence of a fit that failed. */
export function failedAdapter(
  code: string,
  reason: string,
  facts: Pick<AdapterReport, 'base' | 'trainer' | 'truncated_rows' | 'truncated' | 'teacher_rows'>,
): AdapterEvidence {
  return { report: { ...NOTHING, ...facts, status: 'failed', code, reason }, members: null }
}
